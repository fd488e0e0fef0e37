#include <catch2/catch.hpp>
#include <set>

#include "model/strategy/fsdp.h"
#include "sim/base/error.h"
#include "tests/model/strategy/program_facts.h"
#include "tests/model/strategy/training_setup.h"
#include "tests/support/message_of.h"

using namespace dsim;

namespace {

constexpr double block = 4 << 20, ends = 1 << 20, blocks = 8;
constexpr double whole = blocks * block + 2 * ends;

/// Eight blocks between embedding and head on 8 ranks, all sharded.
struct Setup : TrainingSetup {
  explicit Setup(Strategy strategy, BlockNetwork network = {}) : TrainingSetup(network.model()) {
    request.ranks = 8;
    request.options.strategy = strategy;
  }
  FsdpOptions& fsdp() { return request.options.fsdp; }
  Workload run() const { return fsdp_workload(request); }
};

std::string layer(int index) { return "layer" + std::to_string(index); }

/// The last task of a block in a phase.
std::size_t last_kernel(const Program& program, int index, Phase phase) {
  return tasks_named(program, layer(index) + ".gemm", phase).back();
}

}  // namespace

TEST_CASE("FSDP sends the bytes of its closed form") {
  const Strategy strategy = GENERATE(Strategy::fsdp1, Strategy::fsdp2);
  Setup setup(strategy);
  setup.request.options.accumulate = GENERATE(1, 2, 3, 7);
  setup.fsdp().reshard_after_forward = GENERATE(true, false);
  setup.fsdp().accumulate_unsharded = GENERATE(false, true);
  setup.fsdp().blocks_per_unit = GENERATE(1, 3);
  const FsdpOptions& o = setup.fsdp();
  const Workload workload = setup.run();
  const auto micro = static_cast<double>(setup.request.options.accumulate);

  // The root stays whole from forward to backward; SHARD_GRAD_OP keeps all so, and FSDP1 from one
  // micro-batch to the next under no_sync().
  const bool kept =
      strategy == Strategy::fsdp1 && o.accumulate_unsharded && !o.reshard_after_forward;
  const double gathered =
      o.reshard_after_forward ? 2 * blocks * block + 2 * ends : blocks * block + 2 * ends;
  CHECK(sent_bytes(workload, "all-gather") == 7. / 8 * 2 * gathered * (kept ? 1 : micro));
  CHECK(sent_bytes(workload, "reduce-scatter") ==
        7. / 8 * 4 * whole * (o.accumulate_unsharded ? 1 : micro));
  CHECK(sent_bytes(workload) ==
        sent_bytes(workload, "all-gather") + sent_bytes(workload, "reduce-scatter"));
}

TEST_CASE("gathers follow the compute dtype, reductions the reduce dtype") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  setup.fsdp().reshard_after_forward = false;
  SECTION("bf16 both") {
    setup.fsdp().reduce = Precision::bf16;
    CHECK(sent_bytes(setup.run()) == 7. / 8 * (2 + 2) * whole);
  }
  SECTION("fp32 both") {
    setup.request.precision = Precision::fp32;
    setup.fsdp().reduce = Precision::bf16;
    CHECK(sent_bytes(setup.run()) == 7. / 8 * (4 + 4) * whole);
  }
}

TEST_CASE("hybrid sharding gathers within a shard and reduces shards over replicas") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  setup.fsdp().shard_size = 4;
  const Workload workload = setup.run();
  CHECK(sent_bytes(workload, "all-gather") == 3. / 4 * 2 * (2 * blocks * block + 2 * ends));
  CHECK(sent_bytes(workload, "reduce-scatter") == 3. / 4 * 4 * whole);
  CHECK(sent_bytes(workload, "all-reduce") == 2 * 1. / 2 * 4 * whole / 4);
  for (const GroupFamily& family : workload.families)
    CHECK(family.groups.size() * family.groups.front().size() == 8);
}

TEST_CASE("resharding to fewer ranks makes backward gather from those") {
  Setup setup(Strategy::fsdp2);
  setup.fsdp().reshard_size = 2;
  CHECK(sent_bytes(setup.run(), "all-gather") == 2 * (7. / 8 * whole + 1. / 2 * blocks * block));
}

TEST_CASE("every unit is whole before its kernels run, forward and backward") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  setup.request.options.accumulate = GENERATE(1, 2);
  setup.fsdp().backward_prefetch = GENERATE(true, false);
  setup.fsdp().forward_prefetch = GENERATE(true, false);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  for (const Phase phase : {Phase::forward, Phase::backward})
    for (int b = 1; b <= 8; ++b) {
      const auto gathers = tasks_named(program, "all-gather " + layer(b), phase);
      const auto kernels = tasks_named(program, layer(b) + ".gemm", phase);
      const std::size_t passes = static_cast<std::size_t>(setup.request.options.accumulate);
      REQUIRE(gathers.size() == passes);
      REQUIRE(kernels.size() % passes == 0);
      for (std::size_t k = 0; k < kernels.size(); ++k)
        CHECK(ancestry.follows(kernels[k], gathers[k * passes / kernels.size()]));
    }
}

TEST_CASE("the root is whole before the embedding, once a micro-batch") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  setup.request.options.accumulate = 2;
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  const auto gathers = tasks_named(program, "all-gather root", Phase::forward);
  const auto kernels = tasks_named(program, "layer0.gemm", Phase::forward);
  REQUIRE(gathers.size() == 2);
  REQUIRE(kernels.size() == 2);
  CHECK(tasks_named(program, "all-gather root", Phase::backward).empty());
  for (std::size_t i = 0; i < 2; ++i) CHECK(ancestry.follows(kernels[i], gathers[i]));
}

TEST_CASE("FSDP1 keeps no more units in flight than its limit") {
  Setup setup(Strategy::fsdp1);
  const int limit = setup.fsdp().all_gather_limit = GENERATE(1, 2, 3);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  for (int b = limit + 1; b <= 8; ++b) {
    const std::size_t gather = tasks_named(program, "all-gather " + layer(b), Phase::forward)[0];
    CHECK(ancestry.follows(gather, last_kernel(program, b - limit, Phase::forward)));
    if (b - limit + 1 < b)
      CHECK_FALSE(ancestry.follows(gather, last_kernel(program, b - limit + 1, Phase::forward)));
  }
  setup.fsdp().all_gather_limit = 0;
  const Workload unlimited = setup.run();
  const Program& free = unlimited.programs[0];
  CHECK_FALSE(Ancestry(free).follows(tasks_named(free, "all-gather layer8", Phase::forward)[0],
                                     last_kernel(free, 1, Phase::forward)));
}

TEST_CASE("FSDP2 holds at most two gathered units that are not copied out") {
  Setup setup(Strategy::fsdp2);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  for (int b = 3; b <= 8; ++b) {
    const std::size_t gather = tasks_named(program, "all-gather " + layer(b), Phase::forward)[0];
    CHECK(ancestry.follows(gather, last_kernel(program, b - 3, Phase::forward)));
    CHECK_FALSE(ancestry.follows(gather, last_kernel(program, b - 2, Phase::forward)));
  }
}

TEST_CASE("backward prefetches one unit beside the one that computes, or none") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  const bool prefetch = setup.fsdp().backward_prefetch = GENERATE(true, false);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  for (int b = 1; b <= 6; ++b) {
    const std::size_t gather = tasks_named(program, "all-gather " + layer(b), Phase::backward)[0];
    CHECK(ancestry.follows(gather, last_kernel(program, b + 1, Phase::backward)) == !prefetch);
    CHECK(ancestry.follows(gather, last_kernel(program, b + 2, Phase::backward)));
  }
}

TEST_CASE("every unit's gradients are reduced once a micro-batch, behind its backward") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  const bool unsharded = setup.fsdp().accumulate_unsharded = GENERATE(false, true);
  setup.request.options.accumulate = 2;
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  const std::size_t optimizer = tasks_named(program, "adam", Phase::optimizer).front();
  for (int b = 0; b <= 8; ++b) {
    const std::string name = b == 0 ? "root" : layer(b);
    const auto reductions = tasks_named(program, "reduce-scatter " + name, Phase::backward);
    REQUIRE(reductions.size() == (unsharded ? 1 : 2));
    CHECK(ancestry.follows(reductions.back(), last_kernel(program, b, Phase::backward)));
    for (const std::size_t reduction : reductions) CHECK(ancestry.follows(optimizer, reduction));
  }
}

TEST_CASE("FSDP2 packs the next gradients only when the last reduction has ended") {
  Setup setup(Strategy::fsdp2);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  const Ancestry ancestry(program);
  const auto packed = tasks_named(program, "reduce-scatter copy-in", Phase::backward);
  REQUIRE(packed.size() == 9);
  for (int b = 8; b > 1; --b) {
    const std::size_t reduction =
        tasks_named(program, "reduce-scatter " + layer(b), Phase::backward)[0];
    CHECK(ancestry.follows(packed[static_cast<std::size_t>(9 - b)], reduction));
  }
}

TEST_CASE("gathers and reductions of one group share a stream") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  const Workload workload = setup.run();
  for (const Task& task : workload.programs[0].tasks)
    if (task.kind == TaskKind::collective) CHECK(task.stream == communication_stream);
}

TEST_CASE("one rank shards with nobody") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  setup.request.ranks = 1;
  setup.request.options.accumulate = GENERATE(1, 3);
  const Workload workload = setup.run();
  CHECK(workload.collectives.empty());
  CHECK(workload.programs[0].streams.size() >= 3);
  for (const Task& task : workload.programs[0].tasks) CHECK(task.stream == compute_stream);
}

TEST_CASE("tensor-parallel ranks shard over their data-parallel groups") {
  BlockNetwork network;
  network.exchanged = 1 << 20;
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2), network);
  setup.request.options.parallel.tensor = 2;
  const Workload workload = setup.run();
  CHECK(sent_bytes(workload, "reduce-scatter") == 3. / 4 * 4 * whole);
  CHECK(sent_bytes(workload, "layer1.exchange") == 4 * (1 << 20));
  std::set<std::size_t> groups;
  for (const GroupFamily& family : workload.families) groups.insert(family.groups.size());
  CHECK(groups == std::set<std::size_t>{2, 4});
}

TEST_CASE("experts are gathered and reduced by the ranks that hold the same ones") {
  BlockNetwork network;
  network.experts = true;
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2), network);
  setup.request.options.parallel.expert = 4;
  const Workload workload = setup.run();
  const double experts = blocks * (block - 1024);
  CHECK(sent_bytes(workload, "reduce-scatter experts") == 1. / 2 * 4 * experts);
  CHECK(sent_bytes(workload, "reduce-scatter") ==
        1. / 2 * 4 * experts + 7. / 8 * 4 * (whole - experts));
}

TEST_CASE("a slow rank of FSDP is a class of its own") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  setup.request.stragglers = {{3, 1.5}};
  const Workload workload = setup.run();
  REQUIRE(workload.classes.size() == 2);
  CHECK(workload.classes[1].ranks == std::vector<std::uint32_t>{3});
  CHECK(workload.classes[1].speed == Approx(1 / 1.5));
  CHECK(workload.programs.size() == 1);
}

TEST_CASE("dependencies of FSDP programs are earlier tasks on other streams") {
  Setup setup(GENERATE(Strategy::fsdp1, Strategy::fsdp2));
  setup.request.options.accumulate = 5;
  setup.request.input_seconds = 1e-3;
  setup.fsdp().shard_size = GENERATE(0, 2);
  const Workload workload = setup.run();
  const Program& program = workload.programs[0];
  for (std::size_t t = 0; t < program.tasks.size(); ++t)
    for (const TaskId d : dependencies_of(program, program.tasks[t])) {
      REQUIRE(d.index() < t);
      REQUIRE(program.tasks[d.index()].stream != program.tasks[t].stream);
    }
}

TEST_CASE("FSDP refuses what it cannot do, with the rule") {
  Setup setup(Strategy::fsdp2);
  const auto message = [&] { return test::message_of([&] { setup.run(); }); };
  SECTION("pipelines") {
    setup.request.options.parallel.pipeline = 2;
    CHECK_THAT(message(), Catch::Contains("pipeline"));
  }
  SECTION("shards that do not divide") {
    setup.fsdp().shard_size = 3;
    CHECK_THAT(message(), Catch::Contains("shard size of 3 does not divide the 8"));
  }
  SECTION("resharding to ranks that do not divide") {
    setup.fsdp().reshard_size = 3;
    CHECK_THAT(message(), Catch::Contains("reshard size of 3"));
  }
  SECTION("no micro-batch") {
    setup.request.options.accumulate = 0;
    CHECK_THAT(message(), Catch::Contains("at least 1"));
  }
  SECTION("hybrid sharding of experts") {
    setup.fsdp().shard_size = 4;
    setup.request.options.parallel.expert = 2;
    CHECK_THAT(message(), Catch::Contains("hybrid"));
  }
}
