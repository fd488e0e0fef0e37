#pragma once
#include "model/compute/gpu.h"

namespace dsim {

/// Time of a fused attention kernel (flash) on all SMs before derates. Head size in n, sequence
/// length in k, batch x heads in batch; any pass but forward is the backward kernel.
KernelTime attention_time(const Kernel& kernel, Precision precision, const Gpu& gpu,
                          const ComputeConstants& constants);

}  // namespace dsim
