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
      "688 MB each (544 MB of two ranks) after an all-reduce on 4 A100 (NVIDIA/nccl issue 964); "
      "1.06 GB with the CUDA context on 8 H100 (issue 1685)",
      "rings and trees; linear in communicators (issues 864 and 986)"};
  constants.peer_buffers = {
      4.7e8, 0.4, Level::published,
      "3.28 GB more after the first all-to-all on 8 H100, 32 channels to each of 7 peers "
      "(NVIDIA/nccl issue 1685)",
      "peers in one NVLink domain; NICs share their buffers among peers"};
  constants.allocator_slack = {0.05, 0.7, Level::measured,
                               "reserved over allocated: median 2 % of 24 runs of nanotron's "
                               "bench_cluster, 7 % of 8 logs of "
                               "Megatron-LM and Megatron-DeepSpeed (0.6 to 22 %)",
                               "shapes that repeat every step; more when shapes vary"};
  return constants;
}

void MemoryConstants::visit(const ConstantVisitor& visitor) {
  visitor("cuda_context", cuda_context);
  visitor("nccl_buffers", nccl_buffers);
  visitor("peer_buffers", peer_buffers);
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
  if (hybrid) ++count;
  if (count > 1) ++count;                       // of all ranks
  if (p.tensor > 1 && p.pipeline > 1) ++count;  // of a model replica: gradient norm
  if (options.strategy == Strategy::data_parallel && count > 0) count = 1;
  return count;
}

/// Peers in the NVLink domain with which a rank exchanges all-to-all.
std::uint32_t exchange_peers(const Parallelism& p, const TrainingOptions& options) {
  constexpr std::uint32_t most = 7;
  std::uint32_t peers = std::min(p.expert - 1, most);
  if (options.context_exchange == ContextExchange::all_to_all)
    peers += std::min(p.context - 1, most);
  return peers;
}

}  // namespace

std::vector<MemoryFootprint> memory_by_stage(const MemoryRequest& request,
                                             const MemoryConstants& constants) {
  const Model& model = *request.model;
  const TrainingOptions& training = request.training;
  const Parallelism p = RankGrid(training.parallel, request.ranks).parallelism();
  const int groups = communicators(p, training);
  const std::uint32_t peers = exchange_peers(p, training);

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
    memory.context += groups * constants.nccl_buffers + peers * constants.peer_buffers;
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
