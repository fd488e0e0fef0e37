#pragma once
// How gradients are reduced over data-parallel ranks and parameters come back, where a program has
// tensor, pipeline, context or expert ranks beside them.
#include <cstdint>

#include "model/strategy/training.h"

namespace dsim {

/// The rules of a strategy.
struct GradientExchange {
  bool shard = false;           ///< each rank reduces and updates its share (distributed optimizer)
  bool overlap_reduce = false;  ///< buckets start in the last backward pass, else all after it
  bool overlap_gather = false;  ///< parameters come back before the layers of the next step
  double gradient_bytes = 4;    ///< of an element on the wire
  double parameter_bytes = 2;
  double bucket_elements = 0;   ///< a bucket closes when it holds so many
  bool bucket_by_layer = false; ///< and with every layer
  bool main_gradients = false;  ///< a buffer apart takes the sum of all micro-batches
};

/// Of a strategy that is no plain data parallelism; `data_ranks` share a replica. Sources:
/// Megatron-LM core/distributed (buckets, main gradients), DeepSpeed runtime/pipe and
/// runtime/zero/stage_1_and_2.py, torch.distributed.pipelining (FSDP reduces in the last
/// micro-batch and keeps parameters whole between them), torch DDP.
GradientExchange gradient_exchange(const TrainingRequest& request, std::uint32_t data_ranks);

}  // namespace dsim
