#pragma once
// What the CPU thread that drives a GPU spends.
#include "model/calibration.h"

namespace dsim {

/// Host costs of eager PyTorch and DDP, seconds.
struct HostConstants {
  Constant forward_launch;      ///< host time per kernel launched in forward
  Constant backward_launch;     ///< same in backward (autograd runs from C++)
  Constant optimizer_launch;    ///< same in the optimizer step
  Constant launch_latency;      ///< from issue to start on an idle stream
  Constant gradient_hook;       ///< DDP hook per parameter
  Constant bucket_copy;         ///< host time to launch one gradient copy
  Constant collective_enqueue;  ///< host time of one c10d collective
  Constant step_fixed;          ///< host time per step outside the model (zero_grad, loop)
  Constant micro_batch;         ///< host time a pass of a training engine (Megatron, DeepSpeed) spends
                                ///< on one micro-batch beside its kernels: schedule, timers, messages
  Constant graph_launch;        ///< host time to replay a CUDA graph of any number of kernels
  void visit(const ConstantVisitor& visitor);
};
HostConstants built_in_host_constants();

}  // namespace dsim
