#pragma once
// The same machine used otherwise: without P2P, NVLink or GPUDirect, over some NICs, over sockets.
#include <memory>
#include <optional>
#include <vector>

#include "sim/network/topology.h"

namespace dsim {

/// How bytes may travel. What is left out stays as the machine has it.
struct Transport {
  /// GPUs of a node reach each other directly over paths up to this class (NCCL_P2P_LEVEL); beyond,
  /// bytes are copied through host memory. `loc`: never (NCCL_P2P_DISABLE).
  std::optional<PathClass> p2p_level{};
  bool nvlink = true;  ///< false: as if no NVLink, NVSwitch or xGMI were there
  /// NICs read and write GPU memory over paths up to this class (NCCL_NET_GDR_LEVEL; NCCL's own is
  /// pxb, p2c on C2C); beyond, bytes are staged in host memory. `loc`: never.
  std::optional<PathClass> gdr_level{};
  /// The NICs in use, as indices within a node (NCCL_IB_HCA).
  std::optional<std::vector<std::size_t>> nics{};
  /// Sockets in the place of RDMA: the NICs' kind is tcp with its latency, nothing reads GPU
  /// memory.
  bool sockets = false;
  /// Of sockets, one direction: what a node carries in all (NCCL reaches 3 to 6 GB/s), and what one
  /// connection does (1.8 to 3.1 GB/s a socket; Route::connection_limit).
  std::optional<Bandwidth> node_limit{}, connection_limit{};
};

/// A variant of `topology`; the same object if nothing changes. Vertex and link ids stay; a limit
/// of nodes appends two links for each. Throws InputError where a NIC does not exist or GPUs no
/// longer reach each other.
std::shared_ptr<const Topology> with_transport(std::shared_ptr<const Topology> topology,
                                               const Transport& transport);

}  // namespace dsim
