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

/// A way through all ranks of a node over its NVLink mesh that starts and ends at two of the ranks
/// in `ends` (those beside the NIC of a rail); least used links first. `used[i][j]` counts how
/// often the link from the i-th to the j-th rank is taken and is updated. Empty if there is none.
std::vector<std::uint32_t> mesh_path(const Communicator& communicator,
                                     const std::vector<std::uint32_t>& ranks,
                                     const std::vector<std::uint32_t>& ends,
                                     std::vector<std::vector<double>>& used);

}  // namespace dsim
