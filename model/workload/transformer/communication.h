#pragma once
// Collectives that stand among the kernels of a layer.
#include <string>

#include "model/workload/model.h"

namespace dsim {

/// `bytes` is the whole vector, as nccl-tests count it: what every rank holds after an all-gather
/// and before a reduce-scatter, what a rank sends altogether in an all-to-all.
Kernel communication_kernel(std::string name, Pass pass, CollectiveOp op, ParallelGroup group,
                            double bytes, int element_bytes, int hidden_behind = 0);

}  // namespace dsim
