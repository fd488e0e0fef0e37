#pragma once
#include <cstdint>
#include <vector>

#include "model/collective/communicator.h"

namespace dsim {

/// The NVLinks of all `ranks` of a node, up to the switch and down from it: what a reduction in the
/// switch and its multicast load.
std::vector<LinkShare> star_links(const Communicator& communicator,
                                  const std::vector<std::uint32_t>& ranks);

}  // namespace dsim
