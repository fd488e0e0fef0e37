#include "model/compute/memory.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "model/compute/memory_stage.h"
#include "model/compute/memory_states.h"
#include "model/strategy/parallelism.h"

namespace dsim {

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
  constants.more_nccl_buffers = {
      3e8, 0.5, Level::published,
      "9.3 MiB a connection and channel (NCCL's three protocols), 16 channels, two neighbours of a "
      "ring",
      "each further communicator; trees and more channels take more, pairs of ranks less"};
  constants.allocator_slack = {0.02, 0.7, Level::measured,
                               "reserved over allocated, median of 24 runs, nanotron bench_cluster "
                               "log_metrics (huggingface.co/nanotron)",
                               "shapes that repeat every step; more when shapes vary"};
  return constants;
}

void MemoryConstants::visit(const ConstantVisitor& visitor) {
  visitor("cuda_context", cuda_context);
  visitor("nccl_buffers", nccl_buffers);
  visitor("more_nccl_buffers", more_nccl_buffers);
  visitor("allocator_slack", allocator_slack);
}

namespace {

double sum(const std::vector<std::int64_t>& buffers) {
  return static_cast<double>(std::accumulate(buffers.begin(), buffers.end(), std::int64_t{0}));
}

/// Communicators of more than one rank that a rank belongs to.
int communicators(const Parallelism& p, const TrainingOptions& options) {
  const std::uint32_t replicas = p.data * p.context;
  int count = 0;
  for (const std::uint32_t ranks : {replicas, p.tensor, p.context, p.pipeline, p.expert})
    if (ranks > 1) ++count;
  const bool hybrid = options.fsdp.shard_size > 1 && options.fsdp.shard_size < replicas &&
                      (options.strategy == Strategy::fsdp1 || options.strategy == Strategy::fsdp2);
  return count + (hybrid ? 1 : 0);
}

}  // namespace

std::vector<MemoryFootprint> memory_by_stage(const MemoryRequest& request,
                                             const MemoryConstants& constants) {
  const Model& model = *request.model;
  const TrainingOptions& training = request.training;
  const Parallelism p = RankGrid(training.parallel, request.ranks).parallelism();
  const int groups = communicators(p, training);

  std::vector<MemoryFootprint> stages;
  for (const StageContents& stage :
       stage_contents(model, training, p, activation_bytes(request.precision))) {
    const ModelStates states = model_states(request, stage, p);
    MemoryFootprint memory;
    memory.capacity = request.gpu->hbm_bytes;
    memory.parameters = states.parameters + 4 * sum(model.buffers) + 8 * sum(model.integer_buffers);
    memory.gradients = states.gradients;
    memory.optimizer = states.optimizer;
    memory.activations = stage.activations;
    memory.buckets = states.buckets;
    memory.gathered = states.gathered;
    memory.workspace = std::max(stage.workspace, states.step - stage.activations);
    // nn.DataParallel gathers all outputs on the first GPU and computes the loss there.
    if (training.strategy == Strategy::data_parallel)
      memory.workspace += (p.data - 1) * stage.chunks.back().head_saved;
    memory.workspace += 2 * model.input_bytes;
    memory.context = constants.allocator_slack * memory.tensors() + constants.cuda_context;
    if (groups > 0)
      memory.context += constants.nccl_buffers + (groups - 1) * constants.more_nccl_buffers;
    stages.push_back(memory);
  }
  return stages;
}

MemoryFootprint memory_footprint(const MemoryRequest& request, const MemoryConstants& constants) {
  const std::vector<MemoryFootprint> stages = memory_by_stage(request, constants);
  return *std::max_element(stages.begin(), stages.end(),
                           [](const auto& a, const auto& b) { return a.total() < b.total(); });
}

}  // namespace dsim
