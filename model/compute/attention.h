#pragma once
#include "model/compute/gpu.h"

namespace dsim {

/// Time of a fused attention kernel on all SMs before derates. Head size in n, query rows in m (0:
/// as k), sequence length in k, batch x heads in batch; any pass but forward is the backward
/// kernel. How many keys a query sees follows from the FLOPs, so a sliding window counts as the
/// shorter sequence it is.
KernelTime attention_time(const Kernel& kernel, Precision precision, const Gpu& gpu,
                          const ComputeConstants& constants);

}  // namespace dsim
