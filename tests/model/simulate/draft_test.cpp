#include "model/simulate/draft.h"

#include <set>
#include <catch2/catch.hpp>
#include <string>

#include "model/simulate/settings.h"
#include "sim/base/error.h"

using namespace dsim;

namespace {

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Two DGX H100.
std::shared_ptr<const Topology> two_nodes() {
  return parse_topology(
      R"({"format": "dsim.topology/1", "node": "dgx-h100", "nodes": 2, "fabric": {"kind": "single_switch"}})",
      "two.json");
}

ExperimentDraft draft_of(
    std::initializer_list<std::pair<std::string_view, std::string_view>> given) {
  ExperimentDraft draft;
  for (const auto& [name, text] : given) setting(name).apply(draft, text);
  return draft;
}

}  // namespace

TEST_CASE("A global batch is micro-batch x accumulation x GPUs, whatever of them is given") {
  const auto none = std::optional<std::int64_t>();
  CHECK(plan_batch(none, none, none, 8, 32).micro_batch == 32);
  CHECK(plan_batch(none, 4, 3, 8, 32).accumulate == 3);

  const BatchPlan accumulated = plan_batch(1024, 16, none, 8, 32);
  CHECK(accumulated.micro_batch == 16);
  CHECK(accumulated.accumulate == 8);
  CHECK(plan_batch(1024, none, 4, 8, 32).micro_batch == 32);

  const BatchPlan both = plan_batch(1024, none, none, 8, 32);  // 128 a GPU: 32 x 4
  CHECK(both.micro_batch == 32);
  CHECK(both.accumulate == 4);
  const BatchPlan odd = plan_batch(8 * 50, none, none, 8, 32);  // 50 a GPU: 25 x 2
  CHECK(odd.micro_batch == 25);
  CHECK(odd.accumulate == 2);
  CHECK(plan_batch(64, none, none, 8, 32).micro_batch == 8);  // less than the default
}

TEST_CASE("A global batch that does not come out even names the nearest that do") {
  CHECK(message_of([] { plan_batch(1000, 16, std::nullopt, 24, 32); }) ==
        "error: --global-batch 1000 is not a multiple of 24 GPUs x micro-batch 16 = 384 (nearest: "
        "768 "
        "or 1152)");
  CHECK(message_of([] { plan_batch(100, 16, std::nullopt, 24, 32); }) ==
        "error: --global-batch 100 is not a multiple of 24 GPUs x micro-batch 16 = 384 (nearest: "
        "384)");
  CHECK(message_of([] { plan_batch(1024, 16, 4, 8, 32); }) ==
        "error: --global-batch 1024 is not 8 GPUs x micro-batch 16 x accumulate 4 = 512");
}

TEST_CASE("Every setting is documented, in a known group, and reaches the experiment") {
  for (const Setting* row : settings()) {
    CAPTURE(row->name);
    CHECK_FALSE(row->help.empty());
    const std::set<std::string_view> groups{"What",    "How", "Parallel", "Sharding",
                                            "Horovod", "Run", "Network"};
    CHECK(groups.contains(row->group));
    CHECK(&setting(row->name) == row);
  }
  const ExperimentDraft draft = draft_of({{"model", "gpt2"},
                                          {"micro-batch", "4"},
                                          {"seq", "256"},
                                          {"precision", "fp16"},
                                          {"optimizer", "sgd"},
                                          {"fusion", "jit"},
                                          {"attention", "unfused"},
                                          {"accumulate", "2"},
                                          {"bucket-cap", "50 MiB"},
                                          {"first-bucket", "2 MiB"},
                                          {"gradient-as-bucket-view", ""},
                                          {"no-broadcast-buffers", ""},
                                          {"first-iteration", ""},
                                          {"compress", "bf16"},
                                          {"straggler", "3=1.5x"},
                                          {"straggler", "5=2"},
                                          {"algorithm", "ring"},
                                          {"routing", "hash"},
                                          {"fidelity", "steps"},
                                          {"seed", "7"},
                                          {"gpus", "8"}});
  const Experiment experiment = resolve(draft, two_nodes());
  const Job& job = experiment.jobs.at(0);
  CHECK(experiment.topology->gpu_count() == 8);
  CHECK(job.model == "gpt2");
  CHECK(job.micro_batch == 4);
  CHECK(job.sequence == 256);
  CHECK(job.precision == Precision::fp16);
  CHECK(job.precision_given);
  CHECK(job.optimizer == "sgd");
  CHECK(job.fusion == Fusion::jit);
  CHECK(job.attention == AttentionKernel::unfused);
  CHECK(job.training.accumulate == 2);
  CHECK(job.training.ddp.bucket_cap == 50_MiB);
  CHECK(job.training.ddp.first_bucket == 2_MiB);
  CHECK(job.training.ddp.gradient_as_bucket_view);
  CHECK_FALSE(job.training.ddp.broadcast_buffers);
  CHECK(job.training.ddp.first_iteration);
  CHECK(job.training.ddp.compression == Compression::bf16);
  REQUIRE(experiment.stragglers.size() == 2);
  CHECK(experiment.stragglers[1].rank == 5);
  CHECK(experiment.stragglers[1].factor == 2);
  CHECK(experiment.algorithm == "ring");
  CHECK(experiment.routing == Routing::hash);
  CHECK(experiment.fidelity == Fidelity::steps);
  CHECK(experiment.seed == 7);
}

TEST_CASE("A draft without settings takes all GPUs and the model's own batch") {
  const Experiment experiment = resolve(ExperimentDraft{}, two_nodes());
  CHECK(experiment.topology->gpu_count() == 16);
  CHECK(experiment.jobs[0].micro_batch == model_kind("bert-large").default_micro_batch);
  CHECK_FALSE(experiment.jobs[0].precision_given);
}

TEST_CASE("Nodes and GPUs must agree with each other and with the topology") {
  const auto topology = two_nodes();
  CHECK(draft_gpus(draft_of({{"nodes", "1"}}), *topology) == 8);
  CHECK(draft_gpus(draft_of({{"nodes", "2"}, {"gpus", "16"}}), *topology) == 16);
  CHECK_THROWS_AS(draft_gpus(draft_of({{"nodes", "3"}}), *topology), InputError);
  CHECK_THROWS_AS(draft_gpus(draft_of({{"gpus", "17"}}), *topology), InputError);
  CHECK_THROWS_AS(draft_gpus(draft_of({{"nodes", "2"}, {"gpus", "8"}}), *topology), InputError);
}

TEST_CASE("A straggler must be a rank of the job, once") {
  CHECK_NOTHROW(resolve(draft_of({{"straggler", "15=2x"}}), two_nodes()));
  CHECK_THROWS_AS(resolve(draft_of({{"straggler", "16=2x"}}), two_nodes()), InputError);
  CHECK_THROWS_AS(draft_of({{"straggler", "1=2x"}, {"straggler", "1=3x"}}), InputError);
}
