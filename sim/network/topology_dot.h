#pragma once
#include <string>

#include "sim/network/topology.h"

namespace dsim {

/// The topology as a Graphviz graph: a box a node, an edge a cable (parallel cables drawn once,
/// with their number). Up to 2,000 vertices all are drawn; of larger clusters the first node alone
/// with the switches it is cabled to, and the rest is named in the title.
std::string topology_dot(const Topology& topology);

}  // namespace dsim
