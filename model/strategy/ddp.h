#pragma once
// PyTorch DistributedDataParallel: gradient buckets and the program of one rank.
#include <cstdint>
#include <vector>

#include "model/calibration.h"
#include "model/compute/gpu.h"
#include "model/strategy/bucket.h"
#include "model/strategy/ddp_options.h"
#include "model/strategy/host.h"
#include "model/strategy/optimizer.h"
#include "model/workload/model.h"
#include "model/workload/program.h"

namespace dsim {

/// Bytes of one gradient element: parameters stay fp32 under autocast, and buckets have their
/// dtype.
inline constexpr std::int64_t gradient_element_bytes = 4;

/// Parameters in the order their gradients arrive in backward. Every parameter must arrive once.
std::vector<ParameterId> gradient_arrival(const Model& model);

/// Buckets in launch order. Steady step (after the rebuild): gradients in arrival order, limits
/// first_bucket then bucket_cap. First iteration: all parameters in registration order in one
/// bucket, which is what default settings give since pytorch 1.11 (limit sys.maxsize, one bucket a
/// dtype). InputError for limits that are not positive.
std::vector<Bucket> ddp_buckets(const Model& model, const DdpOptions& options);

/// What the program of a data-parallel rank needs to know.
struct DdpRequest {
  const Model* model = nullptr;
  Precision precision = Precision::bf16;
  const Gpu* gpu = nullptr;
  const ComputeConstants* compute = nullptr;
  const HostConstants* host = nullptr;
  const OptimizerKind* optimizer = nullptr;
  DdpOptions options;
  std::int64_t accumulate = 1;  ///< micro-batches a step; all but the last under no_sync()
  CallBackend backend = CallBackend::nccl;
  std::uint32_t ranks = 1;   ///< data-parallel size; 1 = no collectives
  double input_seconds = 0;  ///< host-to-device copy of a micro-batch
  double host_bandwidth = 12e9;  ///< B/s of a copy between GPU and host memory
  /// Speed of each rank class (1 = normal); class 0 holds the ranks not listed in `stragglers`.
  std::vector<std::pair<std::uint32_t, double>> stragglers;  ///< rank, factor > 1 = slower
};

/// The whole workload of one DDP step. Kernel durations are those of a GPU that runs alone.
Workload ddp_workload(const DdpRequest& request);

}  // namespace dsim
