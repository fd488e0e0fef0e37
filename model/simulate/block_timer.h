#pragma once
#include "model/simulate/scenario.h"
#include "model/strategy/parallelism.h"

namespace dsim {

/// A BlockTimer that runs a block's kernels and communications on an engine of their own, with
/// nothing else under way. Holds on to `scenario` and `grid`.
BlockTimer block_timer(const Scenario& scenario, const RankGrid& grid);

}  // namespace dsim
