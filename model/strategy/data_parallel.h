#pragma once
// torch.nn.DataParallel: one process drives all GPUs of a node.
#include "model/calibration.h"
#include "model/strategy/training.h"

namespace dsim {

/// What DataParallel's own code costs.
struct DataParallelConstants {
  Constant replica;  ///< s of Python: to make one module's parameter again on one GPU
  void visit(const ConstantVisitor& visitor);
};
DataParallelConstants built_in_data_parallel_constants();

/// The workload of one step (pytorch torch/nn/parallel/data_parallel.py, replicate.py, comm.py):
/// the batch is scattered, parameters and buffers are broadcast from GPU 0 at every forward pass,
/// threads that share the GIL launch forward on all GPUs, outputs are gathered on GPU 0, gradients
/// are reduced to GPU 0 after the whole backward pass, and GPU 0 alone runs the optimizer.
/// Programs: 0 of GPU 0, 1 of the others. InputError: more than one node, other parallel
/// dimensions, another back end than NCCL.
Workload data_parallel_workload(
    const TrainingRequest& request,
    const DataParallelConstants& constants = built_in_data_parallel_constants());

}  // namespace dsim
