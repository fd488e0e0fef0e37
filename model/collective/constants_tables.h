#pragma once
// The tables behind built_in_collective_constants, one file each.
#include "model/collective/constants.h"

namespace dsim {

GpuConstants built_in_gpu_constants(const CollectiveMachine& machine);
CpuConstants built_in_cpu_constants(const CollectiveMachine& machine);
NetworkConstants built_in_network_constants(const CollectiveMachine& machine);

}  // namespace dsim
