#pragma once
// PyTorch DistributedDataParallel: gradient buckets and the program of one rank.
#include <cstdint>
#include <span>
#include <vector>

#include "model/calibration.h"
#include "model/compute/gpu.h"
#include "model/workload/model.h"
#include "model/workload/program.h"

namespace dsim {

enum class Compression : std::uint8_t { none, fp16, bf16 };

struct DdpOptions {
  Bytes bucket_cap = 25_MiB;        ///< bucket_cap_mb
  Bytes first_bucket = 1_MiB;       ///< kDefaultFirstBucketBytes
  bool gradient_as_bucket_view = false;
  bool broadcast_buffers = true;
  bool static_graph = false;
  bool first_iteration = false;     ///< before the rebuild: one bucket a dtype, no overlap
  Compression compression = Compression::none;
  std::int64_t accumulate = 1;      ///< micro-batches a step; all but the last under no_sync()
};

/// One gradient bucket: parameters in the order they lie in it.
struct Bucket {
  std::vector<ParameterId> parameters;
  std::int64_t elements = 0;
  Bytes bytes;
};

/// Assigns tensors (in the given order) to buckets as compute_bucket_assignment_by_size does: a tensor
/// is added first, the bucket closes when its size reaches the limit; limits[i] holds for bucket i,
/// the last one for all that follow. What is left over makes a last bucket.
std::vector<Bucket> assign_buckets(std::span<const ParameterId> order, std::span<const Bytes> sizes,
                                   std::span<const Bytes> limits);

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
  void visit(const ConstantVisitor& visitor);
};
HostConstants built_in_host_constants();

/// An optimizer: HBM bytes a parameter and step (parameters, gradients, states, compute copy).
struct OptimizerKind {
  std::string_view name, help;
  Constant bytes_per_parameter_mixed;   ///< fp16/bf16 training with fp32 master weights
  Constant bytes_per_parameter_full;    ///< fp32/tf32 training
  double state_bytes_per_parameter;     ///< memory: fp32 moments
  int kernels_per_step;                 ///< launches when fused or foreach
};
const OptimizerKind& optimizer_kind(std::string_view name);
std::vector<const OptimizerKind*> optimizer_kinds();

/// Buckets in launch order for the steady step (after the rebuild: gradients in arrival order) or the
/// first iteration.
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
  std::uint32_t ranks = 1;          ///< data-parallel size; 1 = no collectives
  double input_seconds = 0;         ///< host-to-device copy of a micro-batch
  /// Speed of each rank class (1 = normal); class 0 holds the ranks not listed in `stragglers`.
  std::vector<std::pair<std::uint32_t, double>> stragglers;  ///< rank, factor > 1 = slower
};

/// The whole workload of one DDP step. Kernel durations are those of a GPU that runs alone.
Workload ddp_workload(const DdpRequest& request);

}  // namespace dsim
