#pragma once
// PyTorch FullyShardedDataParallel (FSDP1) and fully_shard (FSDP2).
#include "model/strategy/training.h"
#include "model/workload/program.h"

namespace dsim {

/// The workload of one optimizer step under fsdp1 or fsdp2, with tensor, context and expert
/// parallelism inside the layers. InputError: pipelines, shard sizes that do not divide the
/// data-parallel ranks, hybrid sharding of experts.
Workload fsdp_workload(const TrainingRequest& request);

}  // namespace dsim
