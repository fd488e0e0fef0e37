#include "model/strategy/program_replay.h"

#include <algorithm>

namespace dsim {

std::vector<ReplayedTask> replay(const Program& program, TaskId synchronized, double launch_latency,
                                 double slowdown) {
  const std::size_t count = program.tasks.size();
  std::vector<ReplayedTask> result(count);
  std::vector<double> free_at(program.streams.size(), 0);
  double host = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t t = (synchronized.index() + 1 + i) % count;
    const Task& task = program.tasks[t];
    host += static_cast<double>(task.host_seconds);
    ReplayedTask& replayed = result[t];
    replayed.issued = host;
    double start = std::max(host, free_at[task.stream]);
    for (std::uint32_t d = 0; d < task.dependency_count; ++d)
      start = std::max(start, result[program.dependencies[task.first_dependency + d].index()].end);
    double seconds = 0;
    switch (task.kind) {
      case TaskKind::kernel:
        start = std::max(start, host + launch_latency);
        seconds = slowdown * task.seconds;
        break;
      case TaskKind::delay:
        start = std::max(start, host + launch_latency);
        seconds = task.seconds;
        break;
      case TaskKind::fast_forward: {
        const ReplayedTask &from = result[task.from.index()], &to = result[task.to.index()];
        seconds = static_cast<double>(task.count) * (to.end - from.end);
        host += static_cast<double>(task.count) * (to.issued - from.issued);
        break;
      }
      case TaskKind::collective:
      case TaskKind::join:
        break;
    }
    replayed.end = free_at[task.stream] = start + seconds;
  }
  return result;
}

}  // namespace dsim
