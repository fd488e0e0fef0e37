#include <catch2/catch.hpp>

#include "model/simulate/executor.h"
#include "model/workload/host_wait.h"

using namespace dsim;

namespace {

Task task_of(TaskKind kind, std::uint8_t stream, double seconds, double host_seconds) {
  Task task;
  task.kind = kind;
  task.stream = stream;
  task.seconds = seconds;
  task.host_seconds = static_cast<float>(host_seconds);
  return task;
}

/// Kernel of 10 ms, a point the host may wait at, kernel of 1 ms that takes 2 ms to issue.
Execution run(bool waits) {
  Workload workload;
  Program& program = workload.programs.emplace_back();
  const TaskId first = program.add(task_of(TaskKind::delay, communication_stream, 10e-3, 1e-3));
  Task wait = task_of(TaskKind::join, compute_stream, 0, 0);
  if (waits) let_host_wait(wait);
  program.add(wait, {first});
  program.add(task_of(TaskKind::delay, compute_stream, 1e-3, 2e-3));
  workload.classes.push_back({"all", {0}, 0, 1});
  ExecutionSetup setup;
  setup.workload = &workload;
  return execute(setup);
}

}  // namespace

TEST_CASE("a host that waits for a task issues the next ones after it") {
  const Execution ahead = run(false), waiting = run(true);
  const auto seconds = [](Time time) { return time.seconds(); };
  // Ahead: 10 ms of the first, 1 ms of the last, whatever the host does.
  CHECK(seconds(ahead.classes[0].end - ahead.classes[0].begin) == Approx(11e-3));
  // Waiting: 1 ms to issue, 10 ms, 2 ms to issue, 1 ms; then the host is 1 ms ahead.
  CHECK(seconds(waiting.classes[0].tasks[2].start - waiting.classes[0].tasks[1].end) ==
        Approx(2e-3));
  CHECK(seconds(waiting.classes[0].end - waiting.classes[0].begin) == Approx(13e-3));
  CHECK(waiting.classes[0].tasks[2].release == Release::launch);
}
