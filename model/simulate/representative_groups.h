#pragma once
#include <cstdint>
#include <vector>

#include "sim/network/topology.h"

namespace dsim {

/// The groups of a family that have to be simulated so that every group's time is known. Groups on
/// other nodes that find the same ways (rates, latencies, staging) as the groups of the first nodes
/// are left out, if the network between nodes cannot make them disturb each other: no link of the
/// fabric is loaded more, relative to its rate, than the NICs when all groups send at once. Rank i
/// sits on gpus[i]. Never empty; the groups of the first one's nodes come first.
std::vector<std::vector<std::uint32_t>> representative_groups(
    const Topology& topology, Routing routing, const std::vector<GpuId>& gpus,
    const std::vector<std::vector<std::uint32_t>>& groups);

}  // namespace dsim
