#pragma once
// DeepSpeed ZeRO, stages 1 to 3.
#include "model/strategy/training.h"
#include "model/workload/program.h"

namespace dsim {

/// The workload of one optimizer step under zero1, zero2 or zero3, with tensor, context and expert
/// parallelism inside the layers. InputError: pipelines, bucket sizes below 1.
Workload zero_workload(const TrainingRequest& request);

}  // namespace dsim
