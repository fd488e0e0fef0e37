#pragma once
#include "model/compute/gpu.h"
#include "sim/network/topology.h"

namespace dsim {

/// The GPU that a topology names: topology files may name any, only the models know them. Throws
/// InputError where the file names one that no row of the table has.
const Gpu& gpu_of(const Topology& topology);

}  // namespace dsim
