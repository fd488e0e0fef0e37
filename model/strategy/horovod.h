#pragma once
// Horovod's DistributedOptimizer: gradients are negotiated in cycles by a background thread, fused
// and reduced; optimizer.step() waits for all of them.
#include "model/strategy/horovod_constants.h"
#include "model/strategy/training.h"

namespace dsim {

/// The workload of one optimizer step with Horovod (horovod 2626dc87: common/operations.cc,
/// common/controller.cc, common/ops/nccl_operations.cc, torch/optimizer.py). First the step is
/// written without communication and replayed, which gives the times at which hooks enqueue
/// gradients and the GPU finishes them; then the background thread is run over these times; then
/// the step is written with what it does. InputError: another strategy than data parallel,
/// backward_passes_per_step other than the micro-batches of a step.
Workload horovod_workload(const TrainingRequest& request,
                          const HorovodConstants& constants = built_in_horovod_constants());

/// What the background thread does in a steady step, in order.
struct HorovodPlan {
  std::vector<std::vector<ParameterId>> tensors;  ///< by response
  std::vector<double> negotiated;                 ///< by response, s after optimizer.step()
  std::int64_t cycles = 0;                        ///< that found a gradient
};
HorovodPlan horovod_plan(const TrainingRequest& request,
                         const HorovodConstants& constants = built_in_horovod_constants());

/// broadcast_parameters at the start of training: one broadcast a tensor, not fused.
std::vector<CollectiveCall> horovod_start_up(const Model& model);

}  // namespace dsim
