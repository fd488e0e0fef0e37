#include <algorithm>
#include <map>
#include <set>

#include "calibrate/validate/training.h"

namespace dsim {
namespace {

/// The factor on the time of kernels that makes a row's prediction right; NaN where kernels are too
/// small a part of the step to say.
double wanted_factor(const TrainingRow& row) {
  constexpr double least_share = 0.3;
  if (row.compute_share < least_share) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(1 + (row.measured_s / row.predicted_s - 1) / row.compute_share, 0.2, 5.0);
}

/// The GPU a row was simulated on, whatever its memory: "a100-sxm-80" and "a100-sxm-40" share their
/// derates.
std::string gpu_key(const TrainingRow& row) {
  const std::string& name = row.gpu_model;
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash + 1 == name.size()) return name;
  const bool number =
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dash) + 1, name.end(),
                  [](char c) { return c >= '0' && c <= '9'; });
  return number ? name.substr(0, dash) : name;
}

}  // namespace

void leave_one_source_out(TrainingValidation& validation) {
  // By GPU and source: the median factor that its rows want.
  std::map<std::string, std::map<std::string, std::vector<double>>> wanted;
  for (const TrainingRow& row : validation.rows) {
    if (row.status != RowStatus::predicted) continue;
    const double factor = wanted_factor(row);
    if (factor > 0) wanted[gpu_key(row)][row.source].push_back(factor);
  }
  std::map<std::pair<std::string, std::string>, LeftOutLevel> levels;
  for (const auto& [gpu, sources] : wanted)
    for (const auto& [left_out, factors] : sources) {
      std::vector<double> others;
      for (const auto& [source, values] : sources)
        if (source != left_out) others.push_back(quantile(values, 0.5));
      LeftOutLevel level{left_out, gpu, 1, others.size()};
      if (!others.empty()) level.factor = quantile(others, 0.5);
      levels[{gpu, left_out}] = level;
    }
  for (TrainingRow& row : validation.rows) {
    if (row.status != RowStatus::predicted) continue;
    const auto level = levels.find({gpu_key(row), row.source});
    const double factor = level == levels.end() ? 1 : level->second.factor;
    row.left_out_s = row.predicted_s * (1 + row.compute_share * (factor - 1));
  }
  validation.levels.clear();
  for (const auto& [key, level] : levels) validation.levels.push_back(level);
}

}  // namespace dsim
