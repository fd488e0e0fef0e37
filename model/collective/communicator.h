#pragma once
#include <cstdint>
#include <vector>

#include "model/compute/gpu.h"
#include "sim/network/topology.h"

namespace dsim {

/// The ranks that take part in a collective, on their GPUs, grouped by node.
struct Communicator {
  const Topology* topology = nullptr;
  Routing routing = Routing::spray;
  Architecture architecture = Architecture::hopper;
  std::vector<GpuId> gpus;  ///< by rank
  std::vector<std::vector<std::uint32_t>>
      nodes;  ///< ranks of each node, in order of first appearance

  std::uint32_t size() const { return static_cast<std::uint32_t>(gpus.size()); }
};

Communicator make_communicator(const Topology& topology, Routing routing, Architecture architecture,
                               std::vector<GpuId> gpus);

}  // namespace dsim
