#pragma once
// What NCCL's search finds on a machine: its graphs, before and after `connect` doubles them.
#include <cstdint>
#include <optional>
#include <vector>

#include "model/collective/communicator.h"
#include "model/collective/nccl/settings.h"

namespace dsim {

/// The path of a channel through each node: ranks in order; the first one talks to the network, and
/// so does the last unless the ring leaves where it came in.
struct ChannelPath {
  std::uint32_t rail = 0;                               ///< NIC index within a node
  std::vector<std::vector<std::uint32_t>> node_orders;  ///< one per node of the communicator
};

/// A graph of NVIDIA/nccl src/graph/search.cc: `channels` of `bw_intra` and `bw_inter` GB/s.
struct NcclGraph {
  int channels = 0;
  double bw_intra = 0, bw_inter = 0;
  bool nvlink = true;              ///< type_intra is NVL: its latencies are those of NVLink
  bool same_channels = true;       ///< all channels take the same path
  bool ll128 = true;               ///< path types allow LL128
  bool tree_pattern = false;       ///< NCCL_TOPO_PATTERN_TREE (bandwidth x .85)
  std::vector<ChannelPath> paths;  ///< `channels` entries (ring and tree)
};

/// All that NCCL knows of a communicator when it chooses.
struct NcclGraphs {
  NcclGraph ring, tree, nvls, collnet_chain, collnet_direct;  ///< channels = 0: not available
  int channels = 0;                                           ///< "N coll channels" of NCCL INFO
  int nvls_channels = 0;                                      ///< "N nvls channels"
  int p2p_channels = 0;                                       ///< "N p2p channels"
  int p2p_channels_per_peer = 0;
  bool nvls_tree = false;  ///< NVLS inside nodes and more than one node
  bool pat = false;        ///< one GPU a node

  /// The path of communication channel c: copies share the search's path (connect.cc).
  const ChannelPath& ring_path(std::uint32_t c) const { return ring.paths[c % ring.paths.size()]; }
  const ChannelPath& tree_path(std::uint32_t c) const { return tree.paths[c % tree.paths.size()]; }
};

/// Runs the search (NVIDIA/nccl src/graph/search.cc, connect.cc; docs/nccl-graphs.md tells it in
/// words).
NcclGraphs find_nccl_graphs(const Communicator& communicator, const NcclSettings& settings);

}  // namespace dsim
