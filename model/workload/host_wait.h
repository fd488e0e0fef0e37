#pragma once
#include "model/workload/program.h"

namespace dsim {

/// Makes the host wait for a join: it issues nothing more before the join has ended (a synchronous
/// call such as Horovod's optimizer.step()). Written in `count`, which joins do not use.
inline void let_host_wait(Task& join) { join.count = 1; }
inline bool host_waits(const Task& task) { return task.kind == TaskKind::join && task.count > 0; }

}  // namespace dsim
