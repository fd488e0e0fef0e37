#include "model/collective/nccl/nic_list.h"
#include "model/collective/nccl/settings.h"
#include "sim/network/transport.h"

namespace dsim {

namespace {

// What NCCL moves over sockets, one direction, GB/s. Of a node: 3 to 6 in five published tables
// (IPoIB 3.3, 4.5, Alps without its plugin 5.6), whatever the NICs carry; level assumed. Of one
// socket: 1.8 from GPU memory to 3.1 from host memory (eth-cscs/cscs-docs 80abed1, pairs of MPI
// ranks); level assumed.
constexpr Bandwidth socket_node{4.5e9};
constexpr Bandwidth socket_connection{2.4e9};

bool uses_sockets(LinkKind kind, const NcclSettings& settings) {
  // NCCL_IB_DISABLE turns off RDMA through verbs; without its plugin a Slingshot NIC is left to
  // sockets as well.
  const bool rdma =
      kind == LinkKind::ib || kind == LinkKind::roce || kind == LinkKind::slingshot;
  return kind == LinkKind::tcp || (rdma && settings.ib_disable.value_or(false));
}

}  // namespace

Routing routing_under(const NcclSettings& settings, Routing routing) {
  const bool relays = !settings.pxn_disable.value_or(false);
  return routing == Routing::rail_aligned && !relays ? Routing::spray : routing;
}

std::shared_ptr<const Topology> apply_transport(std::shared_ptr<const Topology> topology,
                                                const NcclSettings& settings) {
  Transport transport;
  if (settings.p2p_level) transport.p2p_level = path_class_named(*settings.p2p_level);
  if (settings.p2p_disable.value_or(false)) transport.p2p_level = PathClass::loc;
  if (settings.net_gdr_level) transport.gdr_level = path_class_named(*settings.net_gdr_level);
  const std::size_t nics = topology->nics_per_node();
  if (settings.ib_hca && nics > 0) transport.nics = nics_of_list(*settings.ib_hca, nics);
  if (nics > 0 && topology->node_count() > 1 && uses_sockets(topology->nic_kind(), settings)) {
    // 1 thread of 1 socket unless asked otherwise (NVIDIA/nccl src/transport/net_socket.cc).
    const int sockets =
        settings.socket_nthreads.value_or(1) * settings.nsocks_perthread.value_or(1);
    transport.sockets = true;
    transport.node_limit = socket_node;
    transport.connection_limit = Bandwidth{sockets * socket_connection.bytes_per_second};
  }
  return with_transport(std::move(topology), transport);
}

}  // namespace dsim
