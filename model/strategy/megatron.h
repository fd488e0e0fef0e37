#pragma once
#include "model/strategy/training.h"

namespace dsim {

/// The workload of a job whose network is cut: tensor, context, expert and pipeline ranks beside
/// data-parallel ones, or Megatron's own data parallelism. The rules hold already.
Workload megatron_workload(const TrainingRequest& request);

}  // namespace dsim
