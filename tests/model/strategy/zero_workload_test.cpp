#include <catch2/catch.hpp>

#include "model/strategy/zero.h"
#include "model/strategy/zero3_trace.h"
#include "model/strategy/zero_partitions.h"
#include "sim/base/error.h"
#include "tests/model/strategy/program_facts.h"
#include "tests/model/strategy/training_setup.h"
#include "tests/support/message_of.h"

using namespace dsim;

namespace {

constexpr double block_elements = 4 << 20, end_elements = 1 << 20;
constexpr double whole = 8 * block_elements + 2 * end_elements;

/// Eight blocks between embedding and head on 8 ranks, buckets of about two blocks.
struct Setup : TrainingSetup {
  explicit Setup(Strategy strategy, BlockNetwork network = {}) : TrainingSetup(network.model()) {
    request.ranks = 8;
    request.options.strategy = strategy;
    zero().reduce_bucket_elements = 9 << 20;
    zero().gather_bucket_elements = 8 << 20;
  }
  ZeroOptions& zero() { return request.options.zero; }
  Workload run() const { return zero_workload(request); }
};

std::vector<std::size_t> reductions(const Program& program) {
  auto found = tasks_named(program, "all-reduce bucket", Phase::backward);
  if (found.empty()) found = tasks_named(program, "reduce part", Phase::backward);
  if (found.empty()) found = tasks_named(program, "reduce-scatter bucket", Phase::backward);
  return found;
}

}  // namespace

TEST_CASE("ZeRO-1 and -2 send the bytes of their closed forms") {
  const Strategy strategy = GENERATE(Strategy::zero1, Strategy::zero2);
  Setup setup(strategy);
  setup.zero().all_reduce = GENERATE(true, false);
  setup.zero().overlap = GENERATE(true, false);
  setup.request.options.accumulate = GENERATE(1, 2, 6);
  const Workload workload = setup.run();
  const auto reduced =
      static_cast<double>(strategy == Strategy::zero2 ? setup.request.options.accumulate : 1);
  const double gathers = 7. / 8 * 2 * whole;
  CHECK(sent_bytes(workload, "all-gather weights") == gathers);
  // The norm of the gradients is one number.
  CHECK(sent_bytes(workload) ==
        Approx(gathers + 7. / 8 * 2 * whole * reduced * (setup.zero().all_reduce ? 2 : 1))
            .epsilon(1e-6));
}

TEST_CASE("buckets of ZeRO hold no more than their limit, unless one tensor does") {
  Setup setup(GENERATE(Strategy::zero1, Strategy::zero2, Strategy::zero3));
  const std::int64_t limit = setup.zero().reduce_bucket_elements =
      GENERATE(1 << 20, 9 << 20, 500'000'000);
  const Workload workload = setup.run();
  std::int64_t elements = 0;
  for (const std::size_t t : reductions(workload.programs[0])) {
    const CollectiveCall& call = workload.collectives[workload.programs[0].tasks[t].collective];
    elements += call.bytes.count / 2;
    CHECK(call.bytes.count / 2 <= std::max<std::int64_t>(limit, 4 << 20));
  }
  CHECK(static_cast<double>(elements) == whole);
}

TEST_CASE("with overlap the reduction of a bucket runs beside backward, without it nothing does") {
  Setup setup(Strategy::zero2);
  const bool overlap = setup.zero().overlap = GENERATE(true, false);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  const auto buckets = reductions(program);
  const std::size_t last = tasks_named(program, "layer0.gemm", Phase::backward).back();
  REQUIRE(buckets.size() == 4);
  // The bucket before the last that began in backward is the one that may still run.
  CHECK(ancestry.follows(last, buckets[1]));
  CHECK(ancestry.follows(last, buckets[2]) == !overlap);
}

TEST_CASE("ZeRO-1 without overlap reduces after the whole backward") {
  Setup setup(Strategy::zero1);
  const bool overlap = setup.zero().overlap = GENERATE(true, false);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const std::size_t last = tasks_named(program, "layer0.gemm", Phase::backward).back();
  CHECK((reductions(program).front() > last) == !overlap);
}

TEST_CASE("new weights are gathered one slice after the other, after the step") {
  Setup setup(GENERATE(Strategy::zero1, Strategy::zero2));
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  const auto gathers = tasks_named(program, "all-gather weights", Phase::optimizer);
  CHECK(gathers.size() == 4);
  for (const std::size_t gather : gathers)
    CHECK(ancestry.follows(gather, tasks_named(program, "adam", Phase::optimizer).back()));
}

TEST_CASE("an optimizer in host memory copies, computes and copies back between") {
  Setup setup(GENERATE(Strategy::zero1, Strategy::zero2, Strategy::zero3));
  setup.zero().offload_optimizer = true;
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  CHECK(tasks_named(program, "adam", Phase::optimizer).empty());
  const auto step = tasks_named(program, "CPU Adam", Phase::optimizer);
  REQUIRE(step.size() == 1);
  const double rate = built_in_offload_constants().cpu_adam;
  CHECK(program.tasks[step[0]].seconds == Approx(whole / 8 / (rate / 8)));
  const auto copy = tasks_named(program, "gradients to host", Phase::optimizer);
  CHECK(program.tasks[copy.at(0)].seconds == Approx(whole / 8 * 2 / 20e9));
}

TEST_CASE("ZeRO-3 gathers twice what is not soon used again, and reduces every micro-batch") {
  Setup setup(Strategy::zero3);
  const auto micro = setup.request.options.accumulate = GENERATE(1, 3, 7);
  const Workload workload = setup.run();
  // The whole network lies within the reuse distance: backward finds it gathered.
  const double persistent = 8 * 1024;
  CHECK(sent_bytes(workload, "all-gather layer") ==
        7. / 8 * 2 * (whole - persistent) * static_cast<double>(micro));
  CHECK(sent_bytes(workload, "all-gather persistent") == 7. / 8 * 2 * persistent);
  CHECK(sent_bytes(workload, "reduce-scatter") == 7. / 8 * 2 * whole * static_cast<double>(micro));
}

TEST_CASE("every layer of ZeRO-3 waits for its gather, which runs beside earlier layers") {
  Setup setup(Strategy::zero3);
  setup.zero().prefetch_elements = GENERATE(0, 4 << 20);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  const Zero3Trace trace = zero3_trace(setup.model, setup.zero());
  const auto gathers = tasks_named(program, "all-gather layer", Phase::forward);
  REQUIRE(gathers.size() == trace.gathers.size());
  for (std::size_t l = 0; l < 10; ++l) {
    const auto kernels =
        tasks_named(program, "layer" + std::to_string(l) + ".gemm", Phase::forward);
    for (const std::size_t g : trace.uses[l].waits)
      CHECK(ancestry.follows(kernels.at(0), gathers[g]));
  }
}

TEST_CASE("a lonely rank of ZeRO sends nothing") {
  Setup setup(GENERATE(Strategy::zero1, Strategy::zero2, Strategy::zero3));
  setup.request.ranks = 1;
  setup.request.options.accumulate = GENERATE(1, 2);
  const Workload workload = setup.run();
  CHECK(workload.collectives.empty());
  CHECK(tasks_named(workload.programs[0], "accumulate gradient", Phase::backward).size() ==
        (setup.request.options.accumulate == 2 ? setup.model.parameters.size() : 0));
}

TEST_CASE("tensor-parallel and expert ranks of ZeRO reduce over those that hold the same") {
  BlockNetwork network;
  network.experts = true;
  Setup setup(GENERATE(Strategy::zero1, Strategy::zero2, Strategy::zero3), network);
  setup.request.options.parallel.expert = 4;
  const Workload workload = setup.run();
  for (const Task& task : workload.programs[0].tasks) {
    if (task.kind != TaskKind::collective) continue;
    const std::string& name = workload.programs[0].names[task.name];
    const CollectiveCall& call = workload.collectives[task.collective];
    const std::size_t ranks = workload.families[call.family.index()].groups.front().size();
    if (name.find("norm") == std::string::npos && name.find("layer") == std::string::npos)
      CHECK(ranks == (name.find("experts") != std::string::npos ? 2 : 8));
  }
}

TEST_CASE("dependencies of ZeRO programs are earlier tasks on other streams") {
  Setup setup(GENERATE(Strategy::zero1, Strategy::zero2, Strategy::zero3));
  setup.request.options.accumulate = 5;
  setup.zero().overlap = GENERATE(true, false);
  setup.request.input_seconds = 1e-3;
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  for (std::size_t t = 0; t < program.tasks.size(); ++t)
    for (const TaskId d : dependencies_of(program, program.tasks[t])) {
      REQUIRE(d.index() < t);
      REQUIRE(program.tasks[d.index()].stream != program.tasks[t].stream);
    }
}

TEST_CASE("ZeRO refuses pipelines and empty buckets") {
  Setup setup(Strategy::zero2);
  const auto message = [&] { return test::message_of([&] { setup.run(); }); };
  SECTION("pipelines") {
    setup.request.options.parallel.pipeline = 2;
    CHECK_THAT(message(), Catch::Contains("pipeline"));
  }
  SECTION("a bucket of nothing") {
    setup.zero().reduce_bucket_elements = 0;
    CHECK_THAT(message(), Catch::Contains("at least 1"));
  }
  SECTION("prefetch below zero") {
    setup.zero().prefetch_elements = -1;
    CHECK_THAT(message(), Catch::Contains("negative"));
  }
}
