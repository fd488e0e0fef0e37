#pragma once
// Published training measurements, predicted and compared.
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/validate/csv_table.h"
#include "calibrate/validate/row_inputs.h"
#include "calibrate/validate/statistics.h"
#include "model/simulate/experiment.h"

namespace dsim {

enum class RowStatus : std::uint8_t {
  predicted,   ///< counts in the figures
  ratio_only,  ///< predicted, but only its ratios to other rows count
  not_predictable
};
std::string_view name_of(RowStatus status);

/// A row of a table with what became of it.
struct TrainingRow {
  std::string source;  ///< table it stands in
  std::string id;      ///< its `id` column, or "row 12" by line
  std::uint32_t line = 0;
  // As the table says it.
  std::string model, gpu, precision, framework, strategy;
  std::int64_t gpus = 0;  ///< 0: not stated
  // As it was simulated.
  std::string topology;
  std::int64_t micro_batch = 0, accumulate = 1, sequence = 0, bucket_cap_mb = 0;
  double samples = 0;  ///< global batch the source states

  RowStatus status = RowStatus::predicted;
  Obstacle obstacle = Obstacle::none;
  std::string reason;       ///< why it is not predictable, or ratios only
  std::string assumptions;  ///< what the row did not state or contradicted; "" = nothing
  std::string explanation;  ///< what the source's facts say of a large error
  double predicted_s = std::numeric_limits<double>::quiet_NaN();
  double measured_s = std::numeric_limits<double>::quiet_NaN();

  bool comparable() const { return predicted_s > 0 && measured_s > 0; }
  double ratio() const { return predicted_s / measured_s; }
  double error() const { return ratio() - 1; }
};

/// Throughput a GPU of a row against that of the row with the fewest GPUs of the same series (same
/// source, model, GPU, precision, micro-batch, sequence, buckets).
struct ScalingRatio {
  std::size_t reference = 0, row = 0;  ///< indices of rows
  double predicted = 0, measured = 0;  ///< 1 = linear
  double difference() const { return predicted - measured; }
};

/// The figures of a group of rows.
struct GroupSummary {
  std::string name;
  ErrorSummary errors;   ///< of the rows that count
  std::size_t rows = 0;  ///< all
};

struct ReasonCount {
  Obstacle obstacle = Obstacle::none;
  std::string reason;
  std::size_t rows = 0;
};

/// Everything a validate run says. Rows are in the order of the tables.
struct TrainingValidation {
  std::vector<TrainingRow> rows;
  std::vector<ScalingRatio> ratios;
  std::vector<std::string> notices;  ///< tables left out, columns nobody knows

  ErrorSummary overall() const;
  std::size_t not_predictable() const;  ///< rows without a figure, `ratio_only` among them
  std::vector<GroupSummary> by(const std::function<std::string(const TrainingRow&)>& key) const;
  std::vector<ReasonCount> reasons() const;  ///< most frequent first
  /// Median of |difference| of the ratios; NaN without any.
  double median_ratio_difference() const;
};

/// Seconds of a step. InputError: the row is not predictable.
using StepTimePredictor = std::function<double(const Experiment&)>;
/// Told how many of how many rows are done.
using ValidationProgress = std::function<void(std::size_t done, std::size_t all)>;

/// The one of `simulate`, without what only a report needs.
StepTimePredictor simulated_step_time();

/// Predicts every row of the tables, and only then reads what was measured.
TrainingValidation validate_training(std::span<const CsvTable> tables,
                                     const StepTimePredictor& predict,
                                     const ValidationProgress& progress = {});

}  // namespace dsim
