#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "model/strategy/data_parallel.h"
#include "model/strategy/data_parallel_step.h"
#include "sim/base/error.h"
#include "tests/model/strategy/training_setup.h"

using namespace dsim;

namespace {

/// Blocks on four GPUs of a node under nn.DataParallel.
struct Setup : TrainingSetup {
  Workload workload;
  Setup() : TrainingSetup(BlockNetwork{.blocks = 3}.model()) {
    request.ranks = 4;
    request.options.strategy = Strategy::data_parallel;
  }
  void run() { workload = training_workload(request); }
  std::int64_t bytes(CollectiveOp op) const {
    std::int64_t total = 0;
    for (const CollectiveCall& call : workload.collectives)
      if (call.op == op) total += call.bytes.count;
    return total;
  }
  double host_seconds(std::size_t program, Phase phase) const {
    double total = 0;
    for (const Task& task : workload.programs[program].tasks)
      if (task.phase == phase) total += static_cast<double>(task.host_seconds);
    return total;
  }
  std::int64_t parameter_bytes() const { return 4 * model.local_parameter_count(); }
};

}  // namespace

TEST_CASE("tensors are coalesced in order up to 10 MiB, larger ones go alone") {
  const auto sizes = [](const std::vector<CoalescedTensors>& runs) {
    std::vector<std::int64_t> result;
    for (const CoalescedTensors& run : runs) result.push_back(run.bytes);
    return result;
  };
  CHECK(sizes(coalesce({4, 4, 4}, 10)) == std::vector<std::int64_t>{8, 4});
  CHECK(sizes(coalesce({25, 4, 6, 1}, 10)) == std::vector<std::int64_t>{25, 10, 1});
  CHECK(coalesce({}, 10).empty());
}

TEST_CASE("DataParallel broadcasts all parameters and reduces all gradients, every micro-batch") {
  Setup setup;
  const std::int64_t micro_batches = GENERATE(1, 2, 3);
  setup.request.options.accumulate = micro_batches;
  setup.run();
  CHECK(setup.bytes(CollectiveOp::broadcast) == micro_batches * setup.parameter_bytes());
  CHECK(setup.bytes(CollectiveOp::reduce) == micro_batches * setup.parameter_bytes());
  CHECK(setup.bytes(CollectiveOp::gather) == micro_batches * 4 * (8 << 20));
  CHECK(setup.bytes(CollectiveOp::all_reduce) == 0);
}

TEST_CASE("GPU 0 and the others meet in the same collectives") {
  Setup setup;
  setup.request.options.accumulate = GENERATE(1, 5);
  setup.run();
  REQUIRE(setup.workload.programs.size() == 2);
  REQUIRE(setup.workload.classes.size() == 2);
  CHECK(setup.workload.classes[0].ranks == std::vector<std::uint32_t>{0});
  CHECK(setup.workload.classes[1].ranks == std::vector<std::uint32_t>{1, 2, 3});
  std::vector<std::vector<std::uint32_t>> calls(2);
  for (std::size_t p = 0; p < 2; ++p)
    for (const Task& task : setup.workload.programs[p].tasks)
      if (task.kind == TaskKind::collective) calls[p].push_back(task.collective);
  CHECK(calls[0] == calls[1]);
  CHECK(std::set<std::uint32_t>(calls[0].begin(), calls[0].end()).size() == calls[0].size());
}

TEST_CASE("only GPU 0 runs the optimizer") {
  Setup setup;
  setup.run();
  CHECK(setup.host_seconds(0, Phase::optimizer) > 0);
  CHECK(setup.host_seconds(1, Phase::optimizer) == 0);
}

TEST_CASE("forward launches of all GPUs share the GIL, backward ones do not") {
  Setup setup;
  const auto launches = [&](Phase phase) {
    double total = 0;
    const Program& program = setup.workload.programs[0];
    for (const Task& task : program.tasks)
      if (task.phase == phase && program.names[task.name].ends_with("gemm"))
        total += static_cast<double>(task.host_seconds);
    return total;
  };
  setup.request.ranks = 2;
  setup.run();
  const double forward = launches(Phase::forward), backward = launches(Phase::backward);
  setup.request.ranks = 8;
  setup.run();
  // The first launch also carries the replicas' Python.
  CHECK(launches(Phase::forward) > 3.9 * forward);
  CHECK(launches(Phase::backward) == Approx(backward));
}

TEST_CASE("DataParallel on one GPU sends nothing") {
  Setup setup;
  setup.request.ranks = 1;
  setup.run();
  CHECK(setup.workload.programs.size() == 1);
  CHECK(setup.workload.collectives.empty());
}

TEST_CASE("DataParallel refuses what one process cannot do") {
  Setup setup;
  SECTION("two nodes") { setup.request.ranks = 16; }
  SECTION("a back end of processes") { setup.request.options.backend = CallBackend::gloo; }
  SECTION("tensor parallel ranks") { setup.request.options.parallel.tensor = 2; }
  SECTION("Horovod") { setup.request.options.framework = Framework::horovod; }
  CHECK_THROWS_AS(setup.run(), InputError);
}

TEST_CASE("a slow GPU of a DataParallel job is a class of its own") {
  Setup setup;
  setup.request.stragglers = {{2, 1.5}};
  setup.run();
  REQUIRE(setup.workload.classes.size() == 3);
  CHECK(setup.workload.classes[2].ranks == std::vector<std::uint32_t>{2});
  CHECK(setup.workload.classes[2].program == 1);
  setup.request.stragglers = {{0, 1.5}};
  setup.run();
  CHECK(setup.workload.classes[0].speed == Approx(1 / 1.5));
}
