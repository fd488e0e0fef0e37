#pragma once
#include <vector>

#include "sim/network/fabric.h"

namespace dsim::fabrics {

/// Largest rate from ports to ports when each hangs below a switch by a cable of `port_rate`:
/// maximum flow over the switches alone. `below[s]` counts the sources and sinks below switch s;
/// `trunks` are links between switches (vertex = switch).
Bandwidth switch_flow(const std::vector<std::pair<std::size_t, std::size_t>>& below,
                      Bandwidth port_rate, std::vector<Link> trunks);

}  // namespace dsim::fabrics
