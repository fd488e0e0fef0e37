#include "calibrate/validate/predict_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "sim/base/error.h"

namespace dsim {
namespace {

/// What came of one experiment, or why nothing did.
struct Prediction {
  Report report;
  std::string refusal;
};

/// First line of a message, without its "error: ".
std::string short_reason(std::string_view what) {
  what = what.substr(0, what.find('\n'));
  if (what.starts_with("error: ")) what.remove_prefix(7);
  return std::string(what);
}

Prediction predicted(const Experiment& experiment, const StepPredictor& predict) {
  Prediction prediction;
  try {
    prediction.report = predict(experiment);
    if (!std::isfinite(prediction.report.step_time_s) || prediction.report.step_time_s <= 0)
      prediction.refusal = "no step time";
  } catch (const InputError& error) {
    prediction.refusal = short_reason(error.what());
  }
  return prediction;
}

double bytes_of(const MemoryFootprint& memory, MemoryMeasure measure) {
  if (measure == MemoryMeasure::device) return memory.total();
  const double tensors = memory.total() - memory.context;
  return measure == MemoryMeasure::allocated
             ? tensors
             : tensors * (1 + built_in_memory_constants().allocator_slack.value);
}

void take(const Prediction& prediction, PlannedRow& planned) {
  TrainingRow& row = planned.row;
  if (!prediction.refusal.empty()) {
    row.status = RowStatus::not_predictable;
    row.obstacle = Obstacle::simulation;
    row.reason = prediction.refusal;
    return;
  }
  const Report& report = prediction.report;
  row.predicted_s = report.step_time_s;
  const StepParts& parts = report.parts;
  row.compute_share = std::clamp(
      (parts.forward_s + parts.backward_s + parts.optimizer_s) / report.step_time_s, 0.0, 1.0);
  row.memory_measure = planned.memory_measure;
  if (report.memory.total() > 0) {
    row.predicted_bytes = bytes_of(report.memory, planned.memory_measure);
    row.fits = report.memory.fits();
  }
}

}  // namespace

void predict_rows(std::span<PlannedRow> rows, const StepPredictor& predict,
                  const ValidationProgress& progress, unsigned threads) {
  std::map<std::string, std::vector<PlannedRow*>> by_key;
  std::size_t done = 0;
  for (PlannedRow& row : rows) {
    if (row.experiment)
      by_key[row.key].push_back(&row);
    else
      ++done;
  }
  std::vector<const std::vector<PlannedRow*>*> work;
  for (const auto& [key, same] : by_key) work.push_back(&same);

  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    for (std::size_t i = next++; i < work.size(); i = next++) {
      try {
        const Prediction prediction = predicted(*work[i]->front()->experiment, predict);
        const std::scoped_lock lock(mutex);
        for (PlannedRow* row : *work[i]) take(prediction, *row);
        done += work[i]->size();
        if (progress) progress(done, rows.size());
      } catch (...) {
        const std::scoped_lock lock(mutex);
        failure = std::current_exception();
        next = work.size();
      }
    }
  };
  {
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < threads; ++i) workers.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
  if (progress) progress(rows.size(), rows.size());
}

}  // namespace dsim
