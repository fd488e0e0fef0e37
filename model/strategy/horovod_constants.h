#pragma once
#include "model/calibration.h"

namespace dsim {

/// What Horovod's own code costs, seconds, and rates of its copies in host memory.
struct HorovodConstants {
  Constant enqueue;         ///< host: hook of a parameter with allreduce_async
  Constant count;           ///< host: hook of a parameter that only counts (not the last pass)
  Constant synchronize;     ///< host: to wait for one handle that is done, and set its gradient
  Constant response;        ///< background thread: to issue one response
  Constant copy_launch;     ///< background thread: to launch one copy kernel
  Constant finalize;        ///< from the end on the GPU to the callback
  Constant mpi_message;     ///< one small message of the control plane
  Constant gloo_message;    ///< the same over TCP
  Constant root_message;    ///< of a message, what rank 0 spends on each of many it gathers
  Constant request;         ///< rank 0: to read one request of one rank
  Constant pageable_rate;   ///< B/s between GPU and pageable host memory at most
  Constant buffer_rate;     ///< B/s of a copy into or out of the fusion buffer in host memory
  Constant host_reduction;  ///< B/s of an all-reduce between hosts; only decides what is fused
                            ///< while one runs
  void visit(const ConstantVisitor& visitor);
};
HorovodConstants built_in_horovod_constants();

}  // namespace dsim
