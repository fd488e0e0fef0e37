#pragma once
// Parameters, gradients and optimizer states of one rank, as each strategy keeps and shards them.
#include "model/compute/memory.h"
#include "model/compute/memory_stage.h"

namespace dsim {

/// Bytes.
struct ModelStates {
  double parameters = 0, gradients = 0, optimizer = 0, buckets = 0, gathered = 0;
  double step = 0;  ///< transient of the optimizer step, when no activations are left
};

/// `parallelism` is complete (see RankGrid).
ModelStates model_states(const MemoryRequest& request, const StageContents& stage,
                         const Parallelism& parallelism);

}  // namespace dsim
