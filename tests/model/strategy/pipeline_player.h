#pragma once
// Plays a pipeline schedule with given costs: no communication time, ranks wait for what they need.
#include <optional>
#include <vector>

#include "model/strategy/pipeline_schedule.h"

namespace dsim::test {

/// Durations of the passes of one part. A forward pass beside a backward pass takes `pair`.
struct PassCosts {
  double forward = 1, input = 1, weight = 1, pair = 3;
  double backward() const { return input + weight; }
};

struct Played {
  double makespan = 0;
  std::vector<double> idle;    ///< by rank: makespan less what it works
  std::vector<double> inside;  ///< of it, between the rank's own first start and last end
  double least_idle() const;
  double most_idle() const;
};

/// nullopt: ranks wait for each other for ever.
std::optional<Played> play(const PipelineSchedule& schedule, const PassCosts& costs);

}  // namespace dsim::test
