#include "model/strategy/horovod_constants.h"

namespace dsim {

HorovodConstants built_in_horovod_constants() {
  HorovodConstants c;
  c.enqueue = {15e-6, .5, Level::assumed,
               "10 to 20 us of Python and binding (horovod/torch/optimizer.py); not measured",
               "PyTorch, one tensor"};
  c.count = {5e-6, .5, Level::assumed, "a Python hook that counts down (torch/optimizer.py)",
             "PyTorch"};
  c.synchronize = {3e-6, .5, Level::assumed, "a call into Python's binding (torch/mpi_ops.py)",
                   "PyTorch, a handle"};
  c.response = {20e-6, .5, Level::assumed,
                "as the low end of a c10d call: one ncclAllReduce and its events from C++ "
                "(common/ops/nccl_operations.cc)",
                "NCCL"};
  c.copy_launch = {4e-6, .3, Level::published, "3 to 5 us a launch (horovod cuda_kernels.cu, CUDA)",
                   ""};
  c.finalize = {20e-6, .5, Level::assumed,
                "10 to 30 us: finalizer thread and callback (common/ops/gpu_operations.cc)", ""};
  c.mpi_message = {3.5e-6, .4, Level::assumed, "2 to 5 us a step of recursive doubling",
                   "MPI over RDMA"};
  c.gloo_message = {32e-6, .4, Level::assumed, "20 to 50 us a TCP message, middle of the range",
                    "Gloo over TCP"};
  c.root_message = {.3, .5, Level::assumed, "messages to one rank overlap in flight", ""};
  c.request = {.5e-6, .7, Level::assumed, "40 to 100 B parsed and one look into a table",
               "first step, or cache off"};
  c.pageable_rate = {4e9, .5, Level::assumed,
                     "cudaMemcpy of pageable memory through a bounce buffer",
                     "PCIe 3.0 x16 and later"};
  c.buffer_rate = {5e9, .5, Level::assumed, "memcpy of one thread: each byte read and written", ""};
  c.host_reduction = {1e9, 1, Level::assumed, "order of magnitude of Gloo and MPI on 10 GbE", ""};
  return c;
}

void HorovodConstants::visit(const ConstantVisitor& visitor) {
  visitor("horovod.enqueue", enqueue);
  visitor("horovod.count", count);
  visitor("horovod.synchronize", synchronize);
  visitor("horovod.response", response);
  visitor("horovod.copy_launch", copy_launch);
  visitor("horovod.finalize", finalize);
  visitor("horovod.mpi_message", mpi_message);
  visitor("horovod.gloo_message", gloo_message);
  visitor("horovod.root_message", root_message);
  visitor("horovod.request", request);
  visitor("horovod.pageable_rate", pageable_rate);
  visitor("horovod.buffer_rate", buffer_rate);
}

}  // namespace dsim
