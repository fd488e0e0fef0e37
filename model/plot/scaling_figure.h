#pragma once
#include "model/plot/figure.h"
#include "model/simulate/scaling.h"

namespace dsim {

/// Throughput with its interval and the ideal line, and efficiency against one GPU and against the
/// smallest size, over the number of GPUs. Requires at least one point.
Figure scaling_figure(const Scaling& scaling);

}  // namespace dsim
