#pragma once
#include "model/calibration.h"
#include "model/compute/gpu.h"
#include "sim/network/topology.h"

namespace dsim {

/// What moving data with NCCL's Simple protocol costs, beyond the links' own rates.
/// A step of c bytes on a channel costs the sending CTA o + c/rate and arrives `latency` later
/// (docs/collectives.md).
struct CollectiveConstants {
  Constant launch;              ///< s: kernel launch and fixed cost of a collective, once
  Constant step_latency;        ///< s: full-chunk step between GPUs of a node, overhead included
  Constant slice_overhead;      ///< s: o, busy time of a CTA per slice besides the copy
  Constant channel_rate;        ///< B/s a ring channel (one CTA) can move
  Constant tree_latency;        ///< s: step inside a node of the tree algorithm
  Constant tree_rate;           ///< B/s per connection of a tree channel
  Constant network_latency;     ///< s: step that crosses the network
  Constant network_post;        ///< s: posting one message by the proxy
  Constant nvlink_efficiency;   ///< payload a ring reaches on NVLink, of nominal
  Constant pcie_efficiency;     ///< same on PCIe
  Constant socket_efficiency;   ///< same on the link between CPU sockets
  Constant network_efficiency;  ///< same on NICs and fabric links
  Constant memory_traffic;      ///< HBM bytes per byte sent: two reads and one write
  void visit(const ConstantVisitor& visitor);

  /// Fraction of the nominal rate of a link that payload reaches.
  double efficiency(LinkKind kind) const;
};

/// Built-in constants for a GPU generation and the network between nodes.
CollectiveConstants built_in_collective_constants(Architecture architecture, LinkKind network);

}  // namespace dsim
