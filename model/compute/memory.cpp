#include "model/compute/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "sim/base/quantity.h"

namespace dsim {

namespace {
constexpr double gradient_bytes = 4;  // fp32
}

MemoryConstants built_in_memory_constants() {
  MemoryConstants constants;
  constants.cuda_context = {
      4.5e8, 0.3, Level::published,
      "300-400 MB since kernels load lazily, some more with cuBLAS workspaces "
      "(pytorch/pytorch issues 107667 and 109888)",
      "CUDA 11.7 and later; above 1 GB before"};
  // A ring connection holds 9.3 MiB a channel (NCCL's three protocols: 0.5 + 4.7 + 4 MiB); 16
  // channels with ring and tree connections make 0.6 GB.
  constants.nccl_buffers = {
      7e8, 0.4, Level::published,
      "1.06 GB a process after initialisation on 8 H100 (NVIDIA/nccl issue 1685), "
      "1.6 GB after an all-reduce (issue 864), both with the CUDA context",
      "one communicator, rings and trees"};
  constants.allocator_slack = {0.02, 0.7, Level::measured,
                               "reserved over allocated, median of 24 runs, nanotron bench_cluster "
                               "log_metrics (huggingface.co/nanotron)",
                               "shapes that repeat every step; more when shapes vary"};
  return constants;
}

void MemoryConstants::visit(const ConstantVisitor& visitor) {
  visitor("cuda_context", cuda_context);
  visitor("nccl_buffers", nccl_buffers);
  visitor("allocator_slack", allocator_slack);
}

std::vector<MemoryFootprint> memory_by_stage(const MemoryRequest& request,
                                             const MemoryConstants& constants) {
  const Model& model = *request.model;
  const Precision precision = request.precision;
  const OptimizerKind& optimizer = *request.optimizer;
  const DdpOptions& options = request.training.ddp;
  const std::uint32_t ranks = request.ranks;
  const double parameters = static_cast<double>(model.parameter_count());
  const double gradients = parameters * gradient_bytes;
  const auto elements = [](const std::vector<std::int64_t>& buffers) {
    return static_cast<double>(std::accumulate(buffers.begin(), buffers.end(), std::int64_t{0}));
  };

  MemoryFootprint memory;
  memory.capacity = request.gpu->hbm_bytes;
  // Autograd keeps the 16-bit copy of a weight from its cast in forward to its use in backward.
  const int copy = casts_weights(precision) ? element_bytes(precision) : 0;
  memory.parameters =
      (4 + copy) * parameters + 4 * elements(model.buffers) + 8 * elements(model.integer_buffers);
  memory.gradients = gradients;
  memory.optimizer = optimizer.state_bytes_per_parameter * parameters;
  for (const Layer& layer : model.layers) memory.activations += layer.saved_bytes;
  if (ranks > 1) {
    // With views the gradients lie in the buckets. A compressed bucket is a tensor of its own while
    // it is under way; at worst all are.
    if (!options.gradient_as_bucket_view) memory.buckets = gradients;
    if (options.compression != Compression::none) memory.buckets += gradients / 2;
  }
  memory.workspace = model.workspace_bytes + 2 * model.input_bytes;
  memory.context = constants.allocator_slack * memory.total() + constants.cuda_context +
                   (ranks > 1 ? constants.nccl_buffers : 0.0);
  return {memory};
}

MemoryFootprint memory_footprint(const MemoryRequest& request, const MemoryConstants& constants) {
  const std::vector<MemoryFootprint> stages = memory_by_stage(request, constants);
  return *std::max_element(stages.begin(), stages.end(),
                           [](const auto& a, const auto& b) { return a.total() < b.total(); });
}

namespace {

/// The largest number of samples a micro-batch can have; 0 if not even one fits.
std::int64_t largest_micro_batch(const MemoryFootprint& memory, std::int64_t samples,
                                 double slack) {
  const double varies = (memory.activations + memory.workspace) * (1 + slack);
  const double room = memory.capacity - (memory.total() - varies);
  if (room <= 0) return 0;
  return static_cast<std::int64_t>(std::floor(static_cast<double>(samples) * room / varies));
}

}  // namespace

std::string memory_advice(const MemoryRequest& request, const MemoryConstants& constants) {
  const Model& model = *request.model;
  const DdpOptions& options = request.training.ddp;
  const auto footprint = [&](const DdpOptions& with) {
    MemoryRequest changed = request;
    changed.training.ddp = with;
    return memory_footprint(changed, constants);
  };
  const MemoryFootprint memory = footprint(options);
  if (memory.fits()) return {};

  DdpOptions views = options;
  views.gradient_as_bucket_view = true;
  const MemoryFootprint with_views = footprint(views);
  const double freed = memory.total() - with_views.total();
  if (with_views.fits())
    return fmt::format(
        "Gradients as bucket views (--gradient-as-bucket-view) free {} and make it fit.",
        format_binary_bytes(freed));

  const auto batch_advice = [&](std::int64_t batch) {
    const std::int64_t times = (model.samples + batch - 1) / batch;
    return fmt::format(
        "a micro-batch of {} (--micro-batch {}); --accumulate {} keeps the global batch{}", batch,
        batch, request.training.accumulate * times, model.samples % batch == 0 ? "" : " about as large");
  };
  if (const auto batch = largest_micro_batch(memory, model.samples, constants.allocator_slack);
      batch > 0)
    return fmt::format("The largest that fits is {}.", batch_advice(batch));
  if (const auto batch = largest_micro_batch(with_views, model.samples, constants.allocator_slack);
      batch > 0)
    return fmt::format(
        "Gradients as bucket views (--gradient-as-bucket-view) free {}; then the largest that "
        "fits is {}.",
        format_binary_bytes(freed), batch_advice(batch));
  return fmt::format(
      "No micro-batch fits: parameters, gradients, optimizer states and buckets alone take {}. "
      "They must be sharded over GPUs, or the GPU needs more memory.",
      format_binary_bytes(with_views.parameters + with_views.gradients + with_views.optimizer +
                          with_views.buckets));
}

}  // namespace dsim
