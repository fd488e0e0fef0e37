#pragma once
#include <memory>

#include "model/simulate/scenario.h"
#include "sim/trace/timeline.h"

namespace dsim {

/// The steady step as a timeline: for each chosen rank (empty: one of each class) a process with
/// tracks for compute, communication, input and buckets; one process for links with their load over
/// time; arrows gradient -> bucket -> collective -> optimizer. Time 0 is the start of the step.
std::shared_ptr<const Timeline> timeline_of(const Scenario& scenario, const Outcome& outcome,
                                            const std::vector<std::uint32_t>& ranks);

}  // namespace dsim
