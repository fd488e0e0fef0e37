#include <catch2/catch.hpp>
#include <random>

#include "model/strategy/rank_classes.h"
#include "tests/model/strategy/training_setup.h"

using namespace dsim;

namespace {

/// Bytes that a rank sends in the calls of its program whose family name begins with `family`.
double sent(const Workload& workload, std::uint32_t rank, const std::string& family) {
  double bytes = 0;
  for (const RankClass& c : workload.classes) {
    if (std::find(c.ranks.begin(), c.ranks.end(), rank) == c.ranks.end()) continue;
    for (const Task& task : workload.programs[c.program].tasks) {
      if (task.kind != TaskKind::collective) continue;
      const CollectiveCall& call = workload.collectives[task.collective];
      const GroupFamily& of = workload.families[call.family.index()];
      if (!of.name.starts_with(family)) continue;
      for (const auto& group : of.groups) {
        if (std::find(group.begin(), group.end(), rank) == group.end()) continue;
        const auto n = static_cast<double>(group.size());
        const auto size = static_cast<double>(call.bytes.count);
        switch (call.op) {
          case CollectiveOp::all_reduce:
            bytes += 2 * (n - 1) / n * size;
            break;
          case CollectiveOp::all_gather:
          case CollectiveOp::reduce_scatter:
            bytes += (n - 1) / n * size;
            break;
          case CollectiveOp::sendrecv:
            if (group.front() == rank) bytes += size;
            break;
          default:
            FAIL("an unexpected operation");
        }
      }
    }
  }
  return bytes;
}

/// A random job; degrees are powers of two.
struct Random {
  BlockNetwork network;
  Parallelism parallel;
  std::uint32_t ranks = 1;
  std::mt19937 random;

  explicit Random(unsigned seed) : random(seed) {
    const auto pick = [this](std::uint32_t most) {
      return 1u << std::uniform_int_distribution<std::uint32_t>(0, most)(random);
    };
    parallel.tensor = pick(2);
    parallel.context = pick(1);
    parallel.pipeline = pick(3);
    const std::uint32_t data = pick(3);
    parallel.expert_tensor = 1;
    parallel.expert = std::min(pick(2), data);
    ranks = parallel.tensor * parallel.context * parallel.pipeline * data;
    network.experts = parallel.expert > 1;
    network.blocks = 16;
    network.exchanged = 3 << 20;
  }
  double replicas() const { return ranks / (parallel.tensor * parallel.pipeline); }
  double expert_replicas() const { return ranks / parallel.pipeline / parallel.expert; }
};

struct Parts {
  double dense = 0, expert = 0;
};

Parts elements(const Model& model, LayerRange range) {
  Parts parts;
  for (std::size_t l = range.first; l < range.last; ++l)
    for (const ParameterId p : model.layers[l].parameters) {
      const Parameter& parameter = model.parameters[p.index()];
      (parameter.expert ? parts.expert : parts.dense) += static_cast<double>(parameter.elements);
    }
  return parts;
}

double share(double n) { return (n - 1) / n; }

}  // namespace

TEST_CASE("every rank sends as many bytes for its gradients as the closed forms say",
          "[property][megatron]") {
  const auto seed = GENERATE(range(0u, 24u));
  Random job(seed);
  CAPTURE(seed, job.parallel.tensor, job.parallel.context, job.parallel.pipeline,
          job.parallel.expert, job.ranks);
  TrainingSetup setup(job.network.model());
  TrainingRequest& request = setup.request;
  request.ranks = job.ranks;
  request.options.parallel = job.parallel;
  request.options.strategy = Strategy::megatron;
  MegatronOptions& megatron = request.options.megatron;
  megatron.distributed_optimizer = seed % 2 == 1;
  megatron.overlap_grad_reduce = seed % 4 >= 2;
  megatron.overlap_param_gather = seed % 4 == 3;
  megatron.bucket_elements = 5'000'000;
  megatron.grad_reduce = seed % 3 == 0 ? Precision::bf16 : Precision::fp32;
  request.options.accumulate = 4;
  const Workload workload = training_workload(request);

  const double gradient = element_bytes(megatron.grad_reduce);
  const double times = megatron.distributed_optimizer ? gradient + 2 : 2 * gradient;
  const RankGrid grid(request.options.parallel, request.ranks);
  const auto parts = cut_into_parts(setup.model, job.parallel.pipeline, false);
  for (std::uint32_t rank = 0; rank < job.ranks; rank += 1 + job.ranks / 8) {
    const Parts held = elements(setup.model, parts[grid.place(rank).pipeline]);
    CHECK(sent(workload, rank, "data") == Approx(times * share(job.replicas()) * held.dense));
    CHECK(sent(workload, rank, "expert data") ==
          Approx(times * share(job.expert_replicas()) * held.expert));
  }
}

TEST_CASE("tensor-parallel ranks send four all-reduces a layer and micro-batch", "[megatron]") {
  const std::uint32_t tensor = GENERATE(2, 4, 8);
  BlockNetwork network;
  network.exchanged = 1 << 22;
  TrainingSetup setup(network.model());
  setup.request.ranks = 2 * tensor;
  setup.request.options.parallel.tensor = tensor;
  const Workload workload = training_workload(setup.request);
  CHECK(sent(workload, 1, "tensor") ==
        Approx(4.0 * network.blocks * 2 * share(tensor) * network.exchanged));
}

TEST_CASE("stages send activations and their gradients once a micro-batch", "[megatron]") {
  const auto kind = GENERATE(PipelineKind::gpipe, PipelineKind::one_f_one_b,
                             PipelineKind::zero_bubble_h1, PipelineKind::interleaved,
                             PipelineKind::zero_bubble_v, PipelineKind::dual_pipe);
  const bool scatter = GENERATE(false, true);
  BlockNetwork network;
  TrainingSetup setup(network.model());
  setup.request.ranks = 16;
  TrainingOptions& options = setup.request.options;
  options.strategy = Strategy::megatron;
  options.schedule = kind;
  options.parallel.pipeline = 4;
  options.parallel.tensor = 2;
  if (kind == PipelineKind::interleaved) options.parallel.chunks = 2;
  options.accumulate = 16;
  options.megatron.scatter_gather = scatter;
  const Workload workload = training_workload(setup.request);
  double total = 0;
  for (std::uint32_t stage = 0; stage < 4; ++stage) total += sent(workload, stage * 4, "pipeline");
  // Boundaries between ranks that a micro-batch crosses; a V turns on one rank.
  const double boundaries = kind == PipelineKind::interleaved     ? 7
                            : kind == PipelineKind::zero_bubble_v ? 6
                                                                  : 3;
  CHECK(total == Approx(2 * boundaries * 16 * network.output_bytes / (scatter ? 2 : 1)));
  double gathered = 0;
  for (std::uint32_t stage = 0; stage < 4; ++stage) gathered += sent(workload, stage * 4, "tensor");
  CHECK(gathered == Approx(scatter ? total : 0));
}

TEST_CASE("first and last stage sum the gradients of a tied embedding", "[megatron]") {
  Model model = BlockNetwork{}.model();
  model.tied_embeddings = true;
  TrainingSetup setup(model);
  setup.request.ranks = 8;
  setup.request.options.strategy = Strategy::megatron;
  setup.request.options.parallel.pipeline = 4;
  setup.request.options.accumulate = 8;
  const Workload workload = training_workload(setup.request);
  const double table = 4.0 * (1 << 20);
  CHECK(sent(workload, 0, "embedding") == Approx(table));
  CHECK(sent(workload, 7, "embedding") == Approx(table));
  CHECK(sent(workload, 2, "embedding") == 0);
  // The last stage reduces its copy with its own gradients.
  CHECK(sent(workload, 6, "data") - sent(workload, 4, "data") == Approx(2 * table));
}

TEST_CASE("both copies of a part that DualPipe runs both ways are reduced together", "[megatron]") {
  BlockNetwork network;
  TrainingSetup setup(network.model());
  setup.request.ranks = 8;
  TrainingOptions& options = setup.request.options;
  options.strategy = Strategy::megatron;
  options.schedule = PipelineKind::dual_pipe;
  options.parallel.pipeline = 4;
  options.accumulate = 8;
  const Workload workload = training_workload(setup.request);
  const auto parts = cut_into_parts(setup.model, 4, false);
  const double held = elements(setup.model, parts[0]).dense + elements(setup.model, parts[3]).dense;
  for (const std::uint32_t rank : {0u, 1u, 6u, 7u})
    CHECK(sent(workload, rank, "data") == Approx(2 * share(4) * held * 4));
}
