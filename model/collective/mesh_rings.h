#pragma once
#include <cstdint>
#include <vector>

#include "model/collective/communicator.h"

namespace dsim {

/// Edge-disjoint directed rings over the given ranks of one node on its NVLink mesh (DGX-1V: 6 over
/// 8 GPUs, 4 over one quad, 1 over GPUs 0 and 1). Each ring uses one link a step. Empty if no ring
/// exists.
std::vector<std::vector<std::uint32_t>> mesh_rings(const Communicator& communicator,
                                                   const std::vector<std::uint32_t>& ranks);

}  // namespace dsim
