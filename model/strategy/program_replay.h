#pragma once
#include <vector>

#include "model/workload/program.h"

namespace dsim {

/// When a task was issued and ended, s.
struct ReplayedTask {
  double issued = 0, end = 0;
};

/// How a rank's program would go if it ran alone and collectives took no time: the host issues task
/// after task, each starts when it is issued, its stream is free and its dependencies have ended.
/// The clock starts where the host has waited for task `synchronized`: what follows comes first,
/// then the next step up to that task. Kernels take `slowdown` times as long.
std::vector<ReplayedTask> replay(const Program& program, TaskId synchronized, double launch_latency,
                                 double slowdown);

}  // namespace dsim
