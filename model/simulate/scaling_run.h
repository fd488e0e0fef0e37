#pragma once
#include <cstdint>
#include <vector>

#include "model/simulate/draft.h"
#include "model/simulate/scaling.h"

namespace dsim {

/// Simulates a draft at each GPU count (which replaces its own). In strong scaling without a global
/// batch that of the largest count is taken; smaller ones accumulate. Every point is checked before
/// the first is simulated. InputError.
Scaling simulate_scaling(const ExperimentDraft& draft, const std::vector<std::int64_t>& gpu_counts,
                         ScalingMode mode, const RunControl& control = {});

}  // namespace dsim
