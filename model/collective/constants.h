#pragma once
#include <array>
#include <string>

#include "model/calibration.h"
#include "model/collective/protocol.h"
#include "model/compute/gpu.h"
#include "sim/network/topology.h"

namespace dsim {

/// One constant for each of LL, LL128 and Simple.
using PerProtocol = std::array<Constant, nccl_protocol_count>;

/// What moving data costs a GPU, beyond the links' own rates. A step of c bytes on a ring channel
/// takes c over the rate and a latency (docs/collectives.md gives the formulas).
struct GpuConstants {
  Constant launch;   ///< s: kernel launch and fixed cost of a collective, once
  PerProtocol step;  ///< s: step between GPUs of a node; Simple: of chunks of 64 KiB and more
  PerProtocol rate;  ///< B/s of data a ring channel (one CTA) can move
  Constant slice_overhead;  ///< s: Simple: busy time of a CTA per slice besides the copy
  Constant last_operation;  ///< the operation of a ring loop that only receives, in sends
  Constant fill;            ///< of a ring, once, in sends
  PerProtocol tree_step;    ///< s: step inside a node of a tree or chain
  PerProtocol tree_rate;    ///< B/s per connection of a tree channel
  Constant
      gather_rate;     ///< B/s of a Simple channel in all_gather and reduce_scatter over a network
  Constant copy_gain;  ///< LL128 rate of pure copies (broadcast) over that of reductions
  Constant nvls_latency;       ///< s: an NVLS collective at its smallest, launch included
  Constant nvls_tree_latency;  ///< s: NVLS-tree without its network steps, launch included
  Constant nvls_loop;          ///< s: a loop of a channel
  Constant nvls_rate;          ///< B/s: busbw that all channels' CTAs reach
  Constant nvls_link;  ///< busbw that the NVLinks reach with multicast, of a ring's rate on them
  Constant nvls_tree_loop;  ///< loop of NVLS-tree over that of NVLS
  Constant nvls_tree_link;  ///< nvls_link over that of NVLS-tree
  Constant copy_latency;    ///< s: send and receive: fixed
  Constant copy_step;       ///< s: the same, of messages of 16 KiB and more
  Constant copy_rate;       ///< B/s of a send-receive channel
  Constant copy_link;       ///< B/s that sends to all peers reach on a GPU's NVLinks, of the ring's
  Constant self_copy;       ///< B/s of a rank's copy to itself
  Constant nvlink_efficiency;  ///< payload a ring reaches on NVLink, of nominal
  Constant memory_traffic;     ///< HBM bytes per byte sent: two reads and one write
};

/// What a network between nodes costs a GPU generation.
struct NetworkConstants {
  Constant ll_hop;      ///< s: step of LL over the network, post excluded
  Constant post;        ///< s: posting one message by the proxy
  Constant simple_hop;  ///< s: step of Simple (and of LL128 on rings), post excluded
  Constant efficiency;  ///< payload reached on NICs and fabric links, of nominal
  Constant copy_share;  ///< of that, by sends to all peers
};

/// The rest of a machine.
struct PathConstants {
  Constant pcie_efficiency, socket_efficiency;
};

/// Messages between CPUs: Gloo and MPI on host memory.
struct CpuConstants {
  Constant local_message;    ///< s: of one message inside a host
  Constant network_message;  ///< s: of one message over the network, all of it
  Constant local_rate;       ///< B/s of a message through the host's memory
  Constant connection_rate;  ///< B/s of a message over the network at most
  Constant reduce_rate;      ///< B/s at which a process adds float32 vectors
};

struct CollectiveConstants {
  GpuConstants gpu;
  NetworkConstants network;
  PathConstants path;
  CpuConstants cpu;

  void visit(const ConstantVisitor& visitor);
  /// Fraction of the nominal rate of a link that payload reaches.
  double efficiency(LinkKind kind) const;
};

/// What decides which built-in constants hold.
struct CollectiveMachine {
  Architecture architecture = Architecture::hopper;
  LinkKind network = LinkKind::ib;
  Bandwidth nic;          ///< of one NIC; tells generations of EFA apart
  bool nvswitch = false;  ///< inside nodes
  bool nvlink = true;     ///< GPUs of a node reach one another over NVLink alone
};
CollectiveMachine machine_of(const Topology& topology);

/// Built-in constants, with their sources.
CollectiveConstants built_in_collective_constants(const CollectiveMachine& machine);

}  // namespace dsim
