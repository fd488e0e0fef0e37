#pragma once
#include <map>
#include <tuple>

#include "model/compute/gpu.h"
#include "model/workload/program.h"

namespace dsim {

/// Turns kernels into tasks for one GPU, precision and set of constants. Layers of a network
/// repeat, so the time of equal work is computed once.
class KernelTasks {
 public:
  KernelTasks(Precision precision, const Gpu& gpu, const ComputeConstants& constants)
      : precision_(precision), gpu_(gpu), constants_(constants) {}

  /// A task on the compute stream, without name and host time.
  Task task(const Kernel& kernel, Phase phase);
  /// The same for a memory-bound kernel of one launch that moves `bytes`.
  Task memory_task(double bytes, Phase phase);

 private:
  /// What kernel_time() depends on.
  using Work = std::tuple<KernelKind, Pass, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                          double, double, bool, int, int, int, int, bool, AttentionKernel>;

  Precision precision_;
  const Gpu& gpu_;
  const ComputeConstants& constants_;
  std::map<Work, KernelTime> times_;
};

}  // namespace dsim
