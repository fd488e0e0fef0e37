#include "model/strategy/kernel_tasks.h"

namespace dsim {

Task KernelTasks::task(const Kernel& kernel, Phase phase) {
  const Work work{kernel.kind,  kernel.pass,  kernel.m,     kernel.n,      kernel.k,
                  kernel.batch, kernel.flops, kernel.bytes, kernel.causal, kernel.launches,
                  kernel.groups, kernel.filter, kernel.stride, kernel.accumulates,
                  kernel.attention};
  const auto [entry, added] = times_.try_emplace(work);
  if (added) entry->second = kernel_time(kernel, precision_, gpu_, constants_);

  Task task;
  task.kind = TaskKind::kernel;
  task.phase = phase;
  task.stream = compute_stream;
  task.seconds = entry->second.seconds;
  task.sm_share = entry->second.sm_share;
  task.hbm_bytes = entry->second.hbm_bytes;
  return task;
}

Task KernelTasks::memory_task(double bytes, Phase phase) {
  Kernel kernel;
  kernel.kind = KernelKind::memory;
  kernel.bytes = bytes;
  return task(kernel, phase);
}

}  // namespace dsim
