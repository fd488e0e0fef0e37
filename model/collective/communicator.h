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

/// The path a channel takes through each node: ranks in order; the first one talks to the network.
struct ChannelPath {
  std::uint32_t rail = 0;                               ///< NIC index within a node
  std::vector<std::vector<std::uint32_t>> node_orders;  ///< one per node of the communicator
};

/// Channels as NCCL's graph search ends up with on such machines (docs/collectives.md):
/// one node with NVSwitch: 24 (Blackwell 32); one node with an NVLink mesh: two per edge-disjoint
/// directed ring; several nodes: two per NIC; without NVLink inside the node: 2.
std::vector<ChannelPath> find_channels(const Communicator& communicator);

}  // namespace dsim
