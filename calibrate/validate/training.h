#pragma once
// Published training measurements, predicted and compared.
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/validate/csv_table.h"
#include "calibrate/validate/grades.h"
#include "calibrate/validate/row_inputs.h"
#include "calibrate/validate/row_plan.h"
#include "calibrate/validate/statistics.h"
#include "model/simulate/experiment.h"

namespace dsim {

enum class RowStatus : std::uint8_t {
  predicted,   ///< counts in the figures
  ratio_only,  ///< predicted, but only its ratios to other rows count
  excluded,    ///< predicted, but the row contradicts itself or its source flags it: only its memory
               ///< counts
  not_predictable
};
std::string_view name_of(RowStatus status);

/// A row of a table with what became of it.
struct TrainingRow {
  std::string source;  ///< table it stands in
  std::string id;      ///< its `id` column, or "row 12" by line
  std::uint32_t line = 0;
  Grade grade = Grade::none;
  // As the table says it, or its source's facts.
  std::string model, gpu, precision, framework, strategy;
  std::int64_t gpus = 0;  ///< 0: not stated
  // As it was simulated.
  std::string topology, gpu_model, network;
  Strategy kind = Strategy::ddp;
  Framework framework_kind = Framework::pytorch;
  Parallelism parallel;
  Recompute recompute = Recompute::none;
  std::int64_t layers = 0, hidden = 0;  ///< of a transformer
  std::int64_t micro_batch = 0, accumulate = 1, sequence = 0, bucket_cap_mb = 0;
  double samples = 0;  ///< of one step

  RowStatus status = RowStatus::predicted;
  Obstacle obstacle = Obstacle::none;
  std::string reason;       ///< why it is not predictable, or does not count
  std::string assumptions;  ///< what the row did not state or contradicted; "" = nothing
  std::string facts;        ///< what its source states in prose
  std::string explanation;  ///< what the source's facts say of a large error
  double predicted_s = std::numeric_limits<double>::quiet_NaN();
  double measured_s = std::numeric_limits<double>::quiet_NaN();
  double compute_share = 0;  ///< of the predicted step: kernels

  MemoryMeasure memory_measure = MemoryMeasure::device;
  double predicted_bytes = std::numeric_limits<double>::quiet_NaN();
  double measured_bytes = std::numeric_limits<double>::quiet_NaN();
  bool fits = true;       ///< as predicted
  bool stated_oom = false;  ///< the source says that it ran out of memory

  /// Predicted by constants that were set without its source (leave_one_source_out).
  double left_out_s = std::numeric_limits<double>::quiet_NaN();

  bool comparable() const { return predicted_s > 0 && measured_s > 0; }
  double ratio() const { return predicted_s / measured_s; }
  double error() const { return ratio() - 1; }
  bool comparable_memory() const { return predicted_bytes > 0 && measured_bytes > 0; }
};

/// Throughput a GPU of a row against that of the row with the fewest GPUs of the same series (same
/// source, network, GPU, precision, layout but for data parallelism, micro-batch, sequence,
/// buckets).
struct ScalingRatio {
  std::size_t reference = 0, row = 0;  ///< indices of rows
  double predicted = 0, measured = 0;  ///< 1 = linear
  double difference() const { return predicted - measured; }
};

/// The figures of a group of rows.
struct GroupSummary {
  std::string name;
  ErrorSummary errors;    ///< of the rows that count
  std::size_t rows = 0;   ///< all
  ErrorSummary left_out;  ///< the same, by constants that were set without each row's source
};

struct ReasonCount {
  Obstacle obstacle = Obstacle::none;
  std::string reason;
  std::size_t rows = 0;
};

/// How often a source that says "out of memory" was foreseen, and how often a run that worked was.
struct OomSummary {
  std::size_t stated = 0, foreseen = 0;  ///< rows that ran out, of them predicted not to fit
  std::size_t ran = 0, allowed = 0;      ///< rows that ran, of them predicted to fit
};

/// How far the rows of a GPU ask for another derate, when each source counts once.
struct LeftOutLevel {
  std::string source, gpu;
  double factor = 1;         ///< on kappa and kappa_bytes, from all other sources
  std::size_t sources = 0;   ///< that it rests on
};

/// Everything a validate run says. Rows are in the order of the tables.
struct TrainingValidation {
  std::vector<TrainingRow> rows;
  std::vector<ScalingRatio> ratios;
  std::vector<std::string> notices;  ///< tables left out, columns nobody knows
  std::vector<LeftOutLevel> levels;  ///< filled by leave_one_source_out

  ErrorSummary overall() const;   ///< of all rows that count
  ErrorSummary headline() const;  ///< of them, those of grade A and A- and a user's own
  std::size_t not_predictable() const;  ///< rows without a figure, those that do not count among them
  std::vector<GroupSummary> by(const std::function<std::string(const TrainingRow&)>& key) const;
  std::vector<ReasonCount> reasons() const;  ///< most frequent first
  /// Median of |difference| of the ratios; NaN without any.
  double median_ratio_difference() const;
  ErrorSummary memory() const;
  OomSummary out_of_memory() const;
};

/// The Report of an experiment; only its step time, parts and memory are read. Called from several
/// threads. InputError: the row is not predictable.
using StepPredictor = std::function<Report(const Experiment&)>;
/// Told how many of how many rows are done; never from two threads at once.
using ValidationProgress = std::function<void(std::size_t done, std::size_t all)>;

/// The one of `simulate`, without what only a report needs.
StepPredictor simulated_step();

struct ValidationOptions {
  std::vector<std::string> ids;  ///< rows whose id contains one of these; empty = all
  unsigned threads = 0;          ///< 0 = as the machine has
};

/// Predicts every row of the tables, and only then reads what was measured.
TrainingValidation validate_training(std::span<const CsvTable> tables, const StepPredictor& predict,
                                     const ValidationProgress& progress = {},
                                     const ValidationOptions& options = {});

/// Predicts each source by derates of its GPU that all other sources ask for: level only, the median
/// of the sources' medians. The rest of the model stays.
void leave_one_source_out(TrainingValidation& validation);

}  // namespace dsim
