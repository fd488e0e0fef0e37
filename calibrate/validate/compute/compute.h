#pragma once
// Measured GEMM times, predicted by the built-in constants and compared.
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "calibrate/validate/csv_table.h"
#include "calibrate/validate/statistics.h"

namespace dsim {

enum class GemmStatus : std::uint8_t {
  held_out,  ///< compared; no constant was fitted to it
  fitted,    ///< compared; of the half of the samples that constants were fitted to
  not_predictable
};
std::string_view name_of(GemmStatus status);

/// One measured GEMM.
struct ComparedGemm {
  std::string table;
  std::uint32_t line = 0;
  std::string gpu, dtype;  ///< of the GPU table where known, else as written
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  double flops = 0;
  GemmStatus status = GemmStatus::not_predictable;
  std::string reason;
  double predicted_s = std::numeric_limits<double>::quiet_NaN();
  double measured_s = std::numeric_limits<double>::quiet_NaN();

  bool compared() const { return status != GemmStatus::not_predictable; }
  double error() const { return predicted_s / measured_s - 1; }
};

struct GemmGroup {
  std::string name;
  ErrorSummary errors;
};

struct GemmReason {
  std::string reason;
  std::size_t rows = 0;
};

struct ComputeValidation {
  std::vector<ComparedGemm> rows;
  std::vector<std::string> notices;

  using Key = std::function<std::string(const ComparedGemm&)>;
  /// Of the rows of one status; `least_flops` leaves small ones out.
  ErrorSummary overall(GemmStatus status = GemmStatus::held_out, double least_flops = 0) const;
  /// In the order of their names.
  std::vector<GemmGroup> by(GemmStatus status, const Key& key, double least_flops = 0) const;
  std::size_t not_predictable() const;
  std::vector<GemmReason> reasons() const;  ///< most frequent first
};

using ComputeProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Predicts every row without the derates kappa of training steps (the tables are timing loops) and
/// only then reads what was measured.
ComputeValidation validate_compute(std::span<const CsvTable> tables,
                                   const ComputeProgress& progress = {});

}  // namespace dsim
