#include <catch2/catch.hpp>
#include <random>

#include "sim/base/error.h"
#include "tests/model/strategy/run_workload.h"
#include "tests/model/strategy/training_setup.h"

using namespace dsim;

namespace {

constexpr double forward_seconds = 1e-3, input_seconds = 1.25e-3, weight_seconds = 0.75e-3;

/// Equal blocks with nothing around them: layers take the same time, nothing else takes any.
struct Ideal {
  TrainingSetup setup{equal_blocks(16)};
  OptimizerKind free = optimizer_kind("adam");
  std::vector<double> slowness;  ///< by stage

  Ideal() {
    free.kernels_per_step = 0;
    setup.host = HostConstants{};
    TrainingRequest& request = setup.request;
    request.optimizer = &free;
    request.options.fused_gradient_accumulation = true;
    request.time_block = [this](std::span<const Kernel> kernels, Phase phase,
                                std::uint32_t stage) {
      BlockTime time;
      for (const Kernel& kernel : kernels)
        time.seconds += phase == Phase::forward        ? forward_seconds
                        : kernel.pass == Pass::wgrad ? weight_seconds
                                                     : input_seconds;
      if (stage < slowness.size()) time.seconds *= slowness[stage];
      return time;
    };
  }
  static Model equal_blocks(int blocks) {
    SmallNetwork network;
    for (int i = 0; i < blocks; ++i) network.layer({1024});
    for (Layer& layer : network.model.layers) {
      layer.parameters = layer.backward.back().completes;
      layer.output_bytes = 1 << 20;
    }
    return network.model;
  }
  Workload workload(PipelineKind kind, std::uint32_t stages, std::uint32_t chunks,
                    std::int64_t micro_batches) {
    TrainingOptions& options = setup.request.options;
    options.schedule = kind;
    options.parallel.pipeline = setup.request.ranks = stages;
    options.parallel.chunks = chunks;
    options.accumulate = micro_batches;
    return training_workload(setup.request);
  }
};

constexpr double backward_seconds = input_seconds + weight_seconds;

}  // namespace

TEST_CASE("GPipe and 1F1B leave the published bubble", "[pipeline]") {
  const auto kind = GENERATE(PipelineKind::gpipe, PipelineKind::one_f_one_b);
  const std::uint32_t p = GENERATE(2u, 4u, 8u);
  const std::int64_t m = GENERATE(1, 3, 8, 20);
  Ideal ideal;
  const double pass = 16.0 / p * (forward_seconds + backward_seconds);
  CHECK(step_seconds(run_workload(ideal.workload(kind, p, 1, m))) ==
        Approx(static_cast<double>(m + p - 1) * pass));
}

TEST_CASE("interleaving divides the bubble by the number of chunks", "[pipeline]") {
  const std::uint32_t p = GENERATE(2u, 4u);
  const std::uint32_t v = GENERATE(2u, 4u);
  const std::int64_t m = p * GENERATE(1, 2, 5);
  const bool overlap = GENERATE(true, false);
  Ideal ideal;
  ideal.setup.request.options.megatron.overlap_p2p = overlap;
  const double pass = 16.0 / p * (forward_seconds + backward_seconds);
  CHECK(step_seconds(run_workload(ideal.workload(PipelineKind::interleaved, p, v, m))) ==
        Approx((static_cast<double>(m) + (p - 1.0) / v) * pass));
}

TEST_CASE("zero-bubble H1 leaves a bubble without weight gradients", "[pipeline]") {
  const std::uint32_t p = GENERATE(2u, 4u, 8u);
  const std::int64_t m = GENERATE(8, 16, 24);
  Ideal ideal;
  // F = B = W, the published case: (p - 1)(F + B - W)
  ideal.setup.request.time_block = [](std::span<const Kernel> kernels, Phase, std::uint32_t) {
    BlockTime time;
    time.seconds = 1e-3 * static_cast<double>(kernels.size());
    return time;
  };
  const double pass = 16.0 / p * 1e-3;
  CHECK(step_seconds(run_workload(ideal.workload(PipelineKind::zero_bubble_h1, p, 1, m))) ==
        Approx((3.0 * static_cast<double>(m) + p - 1) * pass));
}

TEST_CASE("no schedule comes to a halt, whatever stages and messages take",
          "[pipeline][property]") {
  const auto seed = GENERATE(range(0u, 12u));
  const auto kind = GENERATE(PipelineKind::gpipe, PipelineKind::one_f_one_b,
                             PipelineKind::interleaved, PipelineKind::zero_bubble_h1,
                             PipelineKind::zero_bubble_v, PipelineKind::dual_pipe);
  std::mt19937 random(seed);
  const std::uint32_t p = 2u << seed % 3;
  const std::int64_t m = kind == PipelineKind::dual_pipe || kind == PipelineKind::interleaved
                             ? 2 * p * (1 + seed % 2)
                             : 1 + seed * 3;
  Ideal ideal;
  for (std::uint32_t stage = 0; stage < p; ++stage)
    ideal.slowness.push_back(std::uniform_real_distribution<>(0.5, 3)(random));
  ideal.setup.request.options.megatron.overlap_p2p = seed % 2 == 0;
  const std::uint32_t chunks = kind == PipelineKind::interleaved ? 2 : 1;
  const Workload workload = ideal.workload(kind, p, chunks, m);
  const double message = seed % 3 == 0 ? 0 : std::uniform_real_distribution<>(0, 5e-3)(random);
  const double seconds = step_seconds(run_workload(workload, message, 2));
  const double slowest = *std::max_element(ideal.slowness.begin(), ideal.slowness.end());
  CHECK(seconds >= 0.999 * slowest * static_cast<double>(m) * 16 / p *
                       (forward_seconds + backward_seconds));
}

TEST_CASE("sends of 1F1B hold up the next pass and those of an interleaved one need not",
          "[pipeline]") {
  Ideal ideal;
  const double message = 0.5e-3;
  const double pass = 4 * (forward_seconds + backward_seconds);
  const double quiet =
      step_seconds(run_workload(ideal.workload(PipelineKind::one_f_one_b, 4, 1, 32)));
  const double blocking =
      step_seconds(run_workload(ideal.workload(PipelineKind::one_f_one_b, 4, 1, 32), message));
  CHECK(quiet == Approx(35 * pass));
  CHECK(blocking > quiet + 32 * message);
  ideal.setup.request.options.megatron.overlap_p2p = true;
  const double beside =
      step_seconds(run_workload(ideal.workload(PipelineKind::interleaved, 4, 2, 32), message));
  ideal.setup.request.options.megatron.overlap_p2p = false;
  const double held =
      step_seconds(run_workload(ideal.workload(PipelineKind::interleaved, 4, 2, 32), message));
  CHECK(beside < held);
}

TEST_CASE("a host slower than the GPU decides every pass of a blocking pipeline", "[pipeline]") {
  Ideal ideal;
  ideal.setup.request.time_block = [](std::span<const Kernel> kernels, Phase, std::uint32_t) {
    BlockTime time;
    time.seconds = 1e-3 * static_cast<double>(kernels.size());
    time.host_seconds = 3 * time.seconds;
    return time;
  };
  const auto seconds = [&](bool graphs) {
    ideal.setup.request.options.cuda_graphs = graphs;
    return step_seconds(run_workload(ideal.workload(PipelineKind::one_f_one_b, 4, 1, 8)));
  };
  CHECK(seconds(false) == Approx(3 * seconds(true)));
}

TEST_CASE("buckets start layer by layer in the last micro-batch", "[pipeline]") {
  BlockNetwork network;
  TrainingSetup setup(network.model());
  setup.request.ranks = 8;
  TrainingOptions& options = setup.request.options;
  options.strategy = Strategy::megatron;
  options.parallel.pipeline = 2;
  options.accumulate = 6;
  options.megatron.overlap_grad_reduce = options.megatron.distributed_optimizer = true;
  options.megatron.overlap_param_gather = true;
  options.megatron.bucket_elements = 4 << 20;
  const Workload workload = training_workload(setup.request);
  const Program& program = workload.programs[1];
  int passes = 0, layers = 0;
  std::vector<int> starts;  // layers of the last backward that came before each reduction
  for (const Task& task : program.tasks) {
    const std::string& name = program.names[task.name];
    if (task.kind == TaskKind::kernel && name.starts_with("mb 5 backward layer")) ++layers;
    if (task.kind == TaskKind::kernel && name.starts_with("mb 4 backward")) ++passes;
    if (task.kind == TaskKind::collective &&
        workload.collectives[task.collective].op == CollectiveOp::reduce_scatter)
      starts.push_back(layers);
  }
  CHECK(passes == 1);
  CHECK(layers == 5);
  CHECK(starts == std::vector<int>{2, 3, 4, 5});
}

TEST_CASE("a large pipelined job stays a small program", "[pipeline]") {
  BlockNetwork network;
  network.blocks = 96;
  TrainingSetup setup(network.model());
  setup.request.ranks = 1024;
  TrainingOptions& options = setup.request.options;
  options.strategy = Strategy::megatron;
  options.parallel.tensor = options.parallel.pipeline = 8;
  options.parallel.sequence = true;
  options.accumulate = 96;
  options.parallel.chunks = GENERATE(1, 6);
  options.megatron.overlap_grad_reduce = options.megatron.distributed_optimizer = true;
  const Workload workload = training_workload(setup.request);
  CHECK(workload.programs.size() == 8);
  std::size_t tasks = 0;
  for (const Program& program : workload.programs) tasks += program.tasks.size();
  CHECK(tasks < 60'000);
  CHECK(setup.timed < 60);
}
