#pragma once
// Tables of GEMM times: columns m, n, k and a time, one row a GEMM. Which GPU and precision they
// are of stands in columns `gpu` and `dtype`, in `# gpu:` and `# dtype:` lines, or in the table's
// name (gemm_bf16_a100).
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/validate/csv_table.h"

namespace dsim {

/// What a row says of a GEMM before its time is read.
struct StatedGemm {
  std::size_t row = 0;     ///< of the table
  std::uint32_t line = 0;  ///< in the file
  std::string gpu, dtype;  ///< as written; "" = not stated
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  std::string problem;  ///< why it is no GEMM; "" = it is one
};

/// True if a table has columns m, n, k and a time.
bool is_gemm_table(const CsvTable& table);

/// True if a table is laid out as the samples that constants were fitted to half of: no remarks,
/// columns m, n, k, latency_us.
bool is_fitted_sample(const CsvTable& table);

/// Its rows. Requires is_gemm_table(). InputError at a cell that is no number.
std::vector<StatedGemm> stated_gemms(const CsvTable& table);

/// Seconds a row took; empty if blank. InputError at a cell that is no number; 0 and less are
/// empty.
std::optional<double> measured_gemm_time(const CsvTable& table, std::size_t row);

}  // namespace dsim
