#include <catch2/catch.hpp>
#include <numeric>

#include "model/strategy/ddp.h"
#include "sim/base/error.h"
#include "tests/model/strategy/small_network.h"

using namespace dsim;

namespace {

/// A request for six linear layers on 8 H100 and the workload it gives.
struct Setup {
  Model model = six_linear_layers();
  HostConstants host = built_in_host_constants();
  DdpRequest request;
  Workload workload;

  Setup() {
    request.gpu = &gpu_by_name("h100-sxm");
    request.compute = &request.gpu->constants;
    request.host = &host;
    request.optimizer = &optimizer_kind("adam");
    request.ranks = 8;
  }
  const Program& run() {
    request.model = &model;
    workload = ddp_workload(request);
    REQUIRE(workload.programs.size() == 1);
    return workload.programs[0];
  }
  const std::string& name(const Task& task) const { return workload.programs[0].names[task.name]; }
  std::vector<CollectiveCall> all_reduces() const {
    std::vector<CollectiveCall> result;
    for (const Task& task : workload.programs[0].tasks)
      if (task.kind == TaskKind::collective &&
          workload.collectives[task.collective].op == CollectiveOp::all_reduce)
        result.push_back(workload.collectives[task.collective]);
    return result;
  }
};

std::vector<TaskId> dependencies(const Program& program, const Task& task) {
  const auto first = program.dependencies.begin() + task.first_dependency;
  return {first, first + task.dependency_count};
}

template <class Value>
double sum(const Program& program, Value value) {
  double total = 0;
  for (const Task& task : program.tasks) total += value(task);
  return total;
}

double hbm_bytes(const Program& program) {
  return sum(program, [](const Task& t) { return t.hbm_bytes; });
}

constexpr double gradient_bytes = 6 * 4.0 * (1024 * 1024 + 1024);

}  // namespace

TEST_CASE("every dependency is an earlier task on another stream") {
  Setup setup;
  setup.model.buffers = {64, 64};
  setup.request.input_seconds = 1e-3;
  setup.request.accumulate = GENERATE(1, 2, 6);
  setup.request.options.compression = GENERATE(Compression::none, Compression::bf16);
  const Program& program = setup.run();
  for (std::size_t i = 0; i < program.tasks.size(); ++i)
    for (const TaskId dependency : dependencies(program, program.tasks[i])) {
      REQUIRE(dependency.index() < i);
      REQUIRE(program.tasks[dependency.index()].stream != program.tasks[i].stream);
    }
}

TEST_CASE("buckets start in index order and carry every gradient once") {
  Setup setup;
  setup.request.options.bucket_cap = GENERATE(1_MiB, 6_MiB, 25_MiB);
  setup.run();
  const auto calls = setup.all_reduces();
  REQUIRE(calls.size() == ddp_buckets(setup.model, setup.request.options).size());
  Bytes total;
  for (std::size_t b = 0; b < calls.size(); ++b) {
    CHECK(calls[b].bucket == static_cast<std::int32_t>(b));
    CHECK(calls[b].element_bytes == 4);
    total += calls[b].bytes;
  }
  CHECK(static_cast<double>(total.count) == gradient_bytes);
}

TEST_CASE("a bucket starts behind its last gradient and ahead of the rest of backward") {
  Setup setup;
  setup.request.options.bucket_cap = 6_MiB;
  const Program& program = setup.run();
  std::size_t last_kernel = 0;
  for (std::size_t i = 0; i < program.tasks.size(); ++i)
    if (setup.name(program.tasks[i]) == "layer0.gemm") last_kernel = i;
  std::vector<std::size_t> last_copy(setup.all_reduces().size());
  for (std::size_t i = 0; i < program.tasks.size(); ++i) {
    const Task& task = program.tasks[i];
    if (setup.name(task) == "copy to bucket") last_copy[static_cast<std::size_t>(task.bucket)] = i;
  }
  std::size_t started_in_backward = 0;
  for (std::size_t i = 0; i < program.tasks.size(); ++i) {
    const Task& task = program.tasks[i];
    if (task.kind != TaskKind::collective) continue;
    started_in_backward += i < last_kernel;
    const auto after = dependencies(program, task);
    REQUIRE(after.size() == 1);
    CHECK(after[0].index() == last_copy[static_cast<std::size_t>(task.bucket)]);
  }
  CHECK(started_in_backward + 1 == setup.all_reduces().size());
}

TEST_CASE("before the rebuild the only collective follows the whole backward pass") {
  Setup setup;
  setup.request.options.first_iteration = true;
  const Program& program = setup.run();
  REQUIRE(setup.all_reduces().size() == 1);
  bool seen = false;
  for (const Task& task : program.tasks) {
    if (task.kind == TaskKind::collective) seen = true;
    if (setup.name(task).ends_with("gemm")) CHECK(!seen);
  }
}

TEST_CASE("the optimizer runs after the compute stream has waited for every bucket") {
  Setup setup;
  const Program& program = setup.run();
  std::vector<std::int32_t> waited;
  for (const Task& task : program.tasks) {
    if (task.phase == Phase::optimizer) CHECK(waited.size() == setup.all_reduces().size());
    if (task.kind != TaskKind::join) continue;
    CHECK(task.stream == compute_stream);
    waited.push_back(task.bucket);
    const auto after = dependencies(program, task);
    REQUIRE(after.size() == 1);
    const Task& collective = program.tasks[after[0].index()];
    CHECK(collective.kind == TaskKind::collective);
    CHECK(collective.bucket == task.bucket);
  }
  CHECK(std::is_sorted(waited.begin(), waited.end()));
  CHECK(program.tasks.back().phase == Phase::optimizer);
}

TEST_CASE("compression halves the bytes on the wire and casts before and after") {
  Setup setup;
  const double plain = hbm_bytes(setup.run());
  setup.request.options.compression = GENERATE(Compression::fp16, Compression::bf16);
  const Program& program = setup.run();
  double total = 0;
  for (const CollectiveCall& call : setup.all_reduces()) {
    CHECK(call.element_bytes == 2);
    total += static_cast<double>(call.bytes.count);
  }
  CHECK(total == gradient_bytes / 2);
  // Both casts move 4 + 2 B an element, on 4 B gradients.
  CHECK(hbm_bytes(program) == Approx(plain + 2 * 1.5 * gradient_bytes));
}

// A copy reads and writes S. Without views there are two, into the bucket and out of it; with views
// only the division stays, and with a hook that divides, nothing.
TEST_CASE("gradients that live in their bucket are not copied") {
  Setup setup;
  setup.request.options.compression = GENERATE(Compression::none, Compression::fp16);
  const bool divided_by_hook = setup.request.options.compression != Compression::none;
  const double copied = hbm_bytes(setup.run());
  setup.request.options.gradient_as_bucket_view = true;
  const double viewed = hbm_bytes(setup.run());
  CHECK(copied - viewed == Approx((divided_by_hook ? 4 : 2) * gradient_bytes));
}

TEST_CASE("only the last micro-batch of a step reduces") {
  Setup setup;
  setup.run();
  const auto once = setup.all_reduces().size();
  setup.request.accumulate = GENERATE(2, 3, 16);
  const Program& program = setup.run();
  CHECK(setup.all_reduces().size() == once);
  std::size_t last_forward = 0, first_collective = program.tasks.size();
  for (std::size_t i = 0; i < program.tasks.size(); ++i) {
    if (program.tasks[i].phase == Phase::forward) last_forward = i;
    if (program.tasks[i].kind == TaskKind::collective)
      first_collective = std::min(first_collective, i);
  }
  CHECK(first_collective > last_forward);
}

TEST_CASE("more than three micro-batches are three and a repetition of the second") {
  Setup setup;
  setup.request.input_seconds = 2e-3;
  setup.request.accumulate = 3;
  const std::size_t written_out = setup.run().tasks.size();
  const int k = GENERATE(4, 12);
  setup.request.accumulate = k;
  const Program& program = setup.run();
  CHECK(program.tasks.size() == written_out + 2);  // the repetition and its input copies
  for (const Task& task : program.tasks) {
    if (task.kind != TaskKind::fast_forward) continue;
    CHECK(task.count == k - 3);
    // From the end of the first backward pass to the end of the second.
    CHECK(setup.name(program.tasks[task.from.index()]) == "layer0.gemm");
    CHECK(setup.name(program.tasks[task.to.index()]) == "accumulate gradient");
    CHECK(program.tasks[task.from.index() + 1].phase == Phase::input);
    CHECK(&program.tasks[task.to.index() + 1] == &task);
  }
}

TEST_CASE("every micro-batch is copied once and the step waits for the first of the next") {
  Setup setup;
  setup.request.input_seconds = 2e-3;
  const int k = GENERATE(1, 2, 3, 4, 12);
  setup.request.accumulate = k;
  const Program& program = setup.run();
  CHECK(sum(program, [](const Task& t) { return t.kind == TaskKind::delay ? t.seconds : 0; }) ==
        Approx(k * 2e-3));
  const Task& last = program.tasks.back();
  CHECK(last.kind == TaskKind::join);
  CHECK(last.phase == Phase::input);
  const auto after = dependencies(program, last);
  REQUIRE(after.size() == 1);
  CHECK(program.tasks[after[0].index()].kind == TaskKind::delay);
}

TEST_CASE("one rank has no collectives, hooks or copies") {
  Setup setup;
  setup.model.buffers = {64};
  setup.request.ranks = 1;
  const Program& program = setup.run();
  CHECK(setup.workload.collectives.empty());
  CHECK(setup.workload.families.empty());
  const std::size_t kernels =
      6 + 12 + static_cast<std::size_t>(setup.request.optimizer->kernels_per_step);
  CHECK(program.tasks.size() == kernels);
  CHECK(program.dependencies.empty());
}

TEST_CASE("buffers follow rank 0 before forward, one broadcast a type") {
  Setup setup;
  setup.model.buffers = {64, 64, 128};
  setup.model.integer_buffers = {1, 1};
  const Program& program = setup.run();
  std::vector<Bytes> sizes;
  std::size_t last_copy = 0, first_gemm = program.tasks.size();
  for (std::size_t i = 0; i < program.tasks.size(); ++i) {
    const Task& task = program.tasks[i];
    if (task.kind == TaskKind::collective && task.bucket < 0)
      sizes.push_back(setup.workload.collectives[task.collective].bytes);
    if (setup.name(task).starts_with("copy counters")) last_copy = i;
    if (setup.name(task).ends_with("gemm")) first_gemm = std::min(first_gemm, i);
  }
  CHECK(sizes == std::vector{Bytes{4 * 256}, Bytes{8 * 2}});
  CHECK(last_copy < first_gemm);

  setup.request.options.broadcast_buffers = false;
  setup.run();
  for (const CollectiveCall& call : setup.workload.collectives)
    CHECK(call.op == CollectiveOp::all_reduce);
}

TEST_CASE("the optimizer moves its bytes per parameter") {
  Setup setup;
  const double parameters = gradient_bytes / 4;
  const auto moved = [&setup](Precision precision) {
    setup.request.precision = precision;
    return sum(setup.run(),
               [](const Task& t) { return t.phase == Phase::optimizer ? t.hbm_bytes : 0; });
  };
  for (const OptimizerKind* kind : optimizer_kinds()) {
    setup.request.optimizer = kind;
    CHECK(moved(Precision::bf16) == Approx(kind->bytes_per_parameter_mixed * parameters));
    CHECK(moved(Precision::tf32) == Approx(kind->bytes_per_parameter_full * parameters));
  }
}

TEST_CASE("ranks of equal speed form a class") {
  Setup setup;
  setup.request.stragglers = {{3, 1.5}, {5, 1.25}, {7, 1.5}};
  setup.run();
  const auto& classes = setup.workload.classes;
  REQUIRE(classes.size() == 3);
  CHECK(classes[0].ranks == std::vector<std::uint32_t>{0, 1, 2, 4, 6});
  CHECK(classes[0].speed == 1);
  CHECK(classes[1].ranks == std::vector<std::uint32_t>{5});
  CHECK(classes[1].speed == Approx(0.8));
  CHECK(classes[2].ranks == std::vector<std::uint32_t>{3, 7});
  for (const RankClass& c : classes) CHECK(c.program == 0);
}

TEST_CASE("a straggler must be a rank of the job with a positive factor, named once") {
  Setup setup;
  setup.request.stragglers =
      GENERATE(std::vector<std::pair<std::uint32_t, double>>{{8, 1.5}},
               std::vector<std::pair<std::uint32_t, double>>{{1, 0.0}},
               std::vector<std::pair<std::uint32_t, double>>{{1, 1.5}, {1, 2.0}});
  setup.request.model = &setup.model;
  CHECK_THROWS_AS(ddp_workload(setup.request), InputError);
}

TEST_CASE("a step has at least one micro-batch and one rank") {
  Setup setup;
  setup.request.model = &setup.model;
  setup.request.accumulate = 0;
  CHECK_THROWS_AS(ddp_workload(setup.request), InputError);
  setup.request.accumulate = 1;
  setup.request.ranks = 0;
  CHECK_THROWS_AS(ddp_workload(setup.request), InputError);
}
