#pragma once
#include <cstdint>
#include <vector>

#include "sim/network/topology.h"

namespace dsim {

/// packed: nodes filled one after the other. scattered: a GPU of every node in turn. random: drawn
/// with the seed.
enum class Placement : std::uint8_t { packed, scattered, random };

/// GPUs of a job of `count` ranks on a cluster, in rank order. Requires count <= GPUs.
std::vector<std::uint32_t> place(Placement placement, const Topology& topology, std::size_t count,
                                 std::uint64_t seed);

}  // namespace dsim
