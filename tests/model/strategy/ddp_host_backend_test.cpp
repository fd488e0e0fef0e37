#include <catch2/catch.hpp>
#include <set>

#include "model/workload/host_wait.h"
#include "tests/model/strategy/training_setup.h"

using namespace dsim;

namespace {

Workload ddp_over(CallBackend backend, TrainingSetup& setup) {
  setup.request.ranks = 8;
  setup.request.options.backend = backend;
  setup.model.input_bytes = 10e6;
  setup.request.input_seconds = 1e-3;
  setup.request.options.ddp.bucket_cap = 6_MiB;
  return training_workload(setup.request);
}

}  // namespace

TEST_CASE("over Gloo and MPI a bucket is copied to the host, reduced and copied back") {
  TrainingSetup setup(six_linear_layers());
  const CallBackend backend = GENERATE(CallBackend::gloo, CallBackend::mpi);
  const Workload workload = ddp_over(backend, setup);
  const Program& program = workload.programs[0];
  std::set<std::uint8_t> threads;
  std::int64_t bytes = 0;
  for (std::size_t t = 0; t < program.tasks.size(); ++t) {
    const Task& task = program.tasks[t];
    if (task.kind != TaskKind::collective) continue;
    const CollectiveCall& call = workload.collectives[task.collective];
    CHECK(call.backend == backend);
    bytes += call.bytes.count;
    threads.insert(task.stream);
    for (const std::size_t copy : {t - 1, t + 1}) {
      CHECK(program.tasks[copy].kind == TaskKind::delay);
      CHECK(program.tasks[copy].stream == task.stream);
      CHECK(program.tasks[copy].seconds == Approx(static_cast<double>(call.bytes.count) / 10e9));
    }
  }
  CHECK(bytes == 6 * 4 * (1024 * 1024 + 1024));
  CHECK(threads.size() == (backend == CallBackend::gloo ? 2 : 1));
}

TEST_CASE("the host waits for buckets over Gloo and MPI, not over NCCL") {
  TrainingSetup setup(six_linear_layers());
  const CallBackend backend = GENERATE(CallBackend::nccl, CallBackend::gloo, CallBackend::mpi);
  const Workload workload = ddp_over(backend, setup);
  std::size_t waits = 0;
  for (const Task& task : workload.programs[0].tasks) waits += host_waits(task);
  CHECK(waits == (backend == CallBackend::nccl ? 0 : workload.collectives.size()));
}
