#include <algorithm>
#include <catch2/catch.hpp>

#include "model/strategy/horovod.h"
#include "model/workload/host_wait.h"
#include "sim/base/error.h"
#include "tests/model/strategy/training_setup.h"

using namespace dsim;

namespace {

/// Blocks on 16 H100 in two nodes with Horovod.
struct Setup : TrainingSetup {
  Workload workload;
  explicit Setup(Model network = six_linear_layers()) : TrainingSetup(std::move(network)) {
    request.ranks = 16;
    request.options.framework = Framework::horovod;
  }
  HorovodOptions& horovod() { return request.options.horovod; }
  const Program& run() {
    workload = training_workload(request);
    REQUIRE(workload.programs.size() == 1);
    return workload.programs[0];
  }
  const std::string& name(const Task& task) const { return workload.programs[0].names[task.name]; }
  std::int64_t bytes(CollectiveOp op) const {
    std::int64_t total = 0;
    for (const CollectiveCall& call : workload.collectives)
      if (call.op == op) total += call.bytes.count;
    return total;
  }
  std::size_t count(std::string_view wanted) const {
    std::size_t n = 0;
    for (const Task& task : workload.programs[0].tasks) n += name(task) == wanted;
    return n;
  }
};

constexpr std::int64_t gradient_bytes = 6 * 4 * (1024 * 1024 + 1024);

}  // namespace

TEST_CASE("with Horovod every dependency is an earlier task on another stream") {
  Setup setup;
  setup.request.input_seconds = 1e-3;
  setup.request.options.accumulate = GENERATE(1, 2, 6);
  setup.horovod().fp16_compression = GENERATE(true, false);
  setup.horovod().hierarchical = GENERATE(true, false);
  setup.horovod().groups = GENERATE(0, 3);
  setup.request.options.backend = GENERATE(CallBackend::nccl, CallBackend::gloo);
  const Program& program = setup.run();
  for (std::size_t i = 0; i < program.tasks.size(); ++i)
    for (const TaskId dependency : dependencies_of(program, program.tasks[i])) {
      REQUIRE(dependency.index() < i);
      REQUIRE(program.tasks[dependency.index()].stream != program.tasks[i].stream);
    }
}

TEST_CASE("Horovod reduces every gradient once, compressed or not") {
  Setup setup;
  setup.horovod().cycle_seconds = GENERATE(0.0, 1e-4, 1e-3, 1.0);
  setup.horovod().groups = GENERATE(0, 1, 5, 1000);
  setup.run();
  CHECK(setup.bytes(CollectiveOp::all_reduce) == gradient_bytes);
  setup.horovod().fp16_compression = true;
  setup.run();
  CHECK(setup.bytes(CollectiveOp::all_reduce) == gradient_bytes / 2);
  for (const CollectiveCall& call : setup.workload.collectives) CHECK(call.element_bytes == 2);
  CHECK(setup.count("compress gradient") == 12);
  CHECK(setup.count("decompress gradient") == 12);
}

TEST_CASE("a step has no more all-reduces than cycles that saw a gradient, without a limit") {
  Setup setup(BlockNetwork{.blocks = 40, .block_parameters = 1 << 16}.model());
  setup.horovod().cycle_seconds = GENERATE(2e-4, 1e-3, 1e-2);
  setup.run();
  const HorovodPlan plan = horovod_plan(setup.request);
  CHECK(static_cast<std::int64_t>(plan.tensors.size()) == plan.cycles);
  CHECK(setup.workload.collectives.size() == plan.tensors.size());
  // Every tensor once, and one more cycle at most than the hooks' time holds.
  std::vector<ParameterId> all;
  for (const auto& tensors : plan.tensors) all.insert(all.end(), tensors.begin(), tensors.end());
  std::sort(all.begin(), all.end());
  CHECK(all.size() == setup.model.parameters.size());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("without fusion every gradient travels alone and nothing is copied") {
  Setup setup;
  setup.horovod().fusion_threshold = Bytes{0};
  setup.run();
  CHECK(setup.workload.collectives.size() == 12);
  CHECK(setup.count("MEMCPY_IN_FUSION_BUFFER") == 0);
  setup.horovod().fusion_threshold = 128_MiB;
  setup.horovod().cycle_seconds = 1;
  setup.run();
  CHECK(setup.workload.collectives.size() == 1);
  CHECK(setup.count("MEMCPY_IN_FUSION_BUFFER") == 1);
  CHECK(setup.count("MEMCPY_OUT_FUSION_BUFFER") == 1);
}

TEST_CASE("the host waits for all gradients before the optimizer") {
  Setup setup;
  const Program& program = setup.run();
  const auto waits = std::find_if(program.tasks.begin(), program.tasks.end(), host_waits);
  REQUIRE(waits != program.tasks.end());
  CHECK(setup.name(*waits) == "synchronize");
  CHECK(dependencies_of(program, *waits).size() == setup.workload.collectives.size());
  for (auto task = program.tasks.begin(); task != program.tasks.end(); ++task) {
    CHECK((task->phase == Phase::optimizer) <= (task > waits));
    if (task->kind == TaskKind::collective) CHECK(task < waits);
  }
}

TEST_CASE("a tensor above the threshold goes alone, in place") {
  Setup setup;
  setup.horovod().cycle_seconds = 1;
  setup.horovod().fusion_threshold = 4_MiB;
  setup.run();
  // Weights of 4 MiB go alone; six biases of 4 KiB share one buffer at most six times.
  CHECK(setup.workload.collectives.size() <= 12);
  for (const CollectiveCall& call : setup.workload.collectives)
    CHECK(call.bytes.count <= Bytes{4_MiB}.count);
}

TEST_CASE("in two levels the hosts carry a node's share") {
  Setup setup;
  setup.horovod().hierarchical = true;
  setup.run();
  CHECK(setup.bytes(CollectiveOp::reduce_scatter) == gradient_bytes);
  CHECK(setup.bytes(CollectiveOp::all_gather) == gradient_bytes);
  CHECK(setup.bytes(CollectiveOp::all_reduce) == gradient_bytes / 8);
  for (const CollectiveCall& call : setup.workload.collectives) {
    const auto& groups = setup.workload.families[call.family.index()].groups;
    const bool across = call.op == CollectiveOp::all_reduce;
    CHECK(call.backend == (across ? CallBackend::mpi : CallBackend::nccl));
    CHECK(groups.size() == (across ? 8 : 2));
    CHECK(groups.front() == (across ? std::vector<std::uint32_t>{0, 8}
                                    : std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  }
  SECTION("one node: Horovod leaves it") {
    setup.request.ranks = 8;
    setup.run();
    CHECK(setup.bytes(CollectiveOp::all_reduce) == gradient_bytes);
    CHECK(setup.bytes(CollectiveOp::all_gather) == 0);
  }
}

TEST_CASE("Adasum reduces differences after the local step of each parameter") {
  Setup setup;
  setup.horovod().adasum = true;
  setup.run();
  CHECK(setup.count("local step") == 12);
  CHECK(setup.count("adam") == 0);
  CHECK(setup.bytes(CollectiveOp::reduce_scatter) == gradient_bytes);
}

TEST_CASE("over Gloo gradients go through host memory and the fusion buffer there") {
  Setup setup;
  setup.request.options.backend = CallBackend::gloo;
  setup.horovod().cycle_seconds = 1;
  const Program& program = setup.run();
  CHECK(setup.count("copy gradient to host") == 12);
  CHECK(setup.workload.collectives.size() == 1);
  CHECK(setup.workload.collectives[0].backend == CallBackend::gloo);
  double copied = 0;
  for (const Task& task : program.tasks)
    if (setup.name(task).starts_with("copy gradient")) copied += task.seconds;
  const HorovodConstants c = built_in_horovod_constants();
  CHECK(copied == Approx(2 * gradient_bytes / c.pageable_rate.value));
}

TEST_CASE("only the last of the backward passes enqueues gradients") {
  Setup setup;
  setup.request.options.accumulate = 4;
  setup.horovod().backward_passes_per_step = GENERATE(1, 4);
  setup.run();
  CHECK(setup.bytes(CollectiveOp::all_reduce) == gradient_bytes);
  CHECK(setup.count("allreduce_async") == 12);
  setup.horovod().backward_passes_per_step = GENERATE(2, 8);
  CHECK_THROWS_AS(setup.run(), InputError);
}

TEST_CASE("one rank with Horovod reduces nothing") {
  Setup setup;
  setup.request.ranks = 1;
  const Program& program = setup.run();
  CHECK(setup.workload.collectives.empty());
  for (const Task& task : program.tasks) CHECK(!host_waits(task));
}

TEST_CASE("Horovod refuses what is not data parallel") {
  Setup setup;
  SECTION("strategy") { setup.request.options.strategy = Strategy::fsdp2; }
  SECTION("tensor parallel ranks") { setup.request.options.parallel.tensor = 2; }
  SECTION("pipeline") { setup.request.options.parallel.pipeline = 2; }
  CHECK_THROWS_AS(setup.run(), InputError);
}

TEST_CASE("at the start every parameter is broadcast by itself") {
  Setup setup;
  const auto calls = horovod_start_up(setup.model);
  CHECK(calls.size() == 12);
  std::int64_t bytes = 0;
  for (const CollectiveCall& call : calls) bytes += call.bytes.count;
  CHECK(bytes == gradient_bytes);
}
