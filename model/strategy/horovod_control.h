#pragma once
#include <cstdint>

#include "model/strategy/horovod_constants.h"
#include "model/strategy/horovod_options.h"

namespace dsim {

/// Seconds of the negotiation of one cycle. Cached tensors: one all-reduce of a bit vector, MPI by
/// recursive doubling, Gloo by a ring. `uncached` tensors a rank besides: their requests are
/// gathered at rank 0 and the responses broadcast. Source: horovod common/controller.cc,
/// response_cache.cc, mpi_controller.cc, gloo_controller.cc.
double negotiation_seconds(ControlPlane control, const HorovodConstants& constants,
                           std::uint32_t ranks, bool cache, std::int64_t uncached);

/// Whether the background thread blocks until the gradients of a response exist. Since 0.23 the
/// NCCL stream waits instead (horovod pull request 2963).
bool thread_waits_for_data(const HorovodOptions& options);

/// The fusion threshold as applied: a multiple of 64 elements of 8 B for each rank of a node
/// (controller.cc, TensorFusionThresholdBytes). 0 stays 0.
Bytes applied_threshold(Bytes threshold, std::uint32_t ranks_per_node);

}  // namespace dsim
