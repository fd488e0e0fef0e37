#include "sim/network/transport.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/network/cluster_topology.h"
#include "sim/network/link_defaults.h"

namespace dsim {
namespace {

void check_nics(const std::vector<std::size_t>& wanted, const NodeType& type) {
  const std::size_t slots = type.nics.size();
  if (wanted.empty()) throw InputError("no NIC is left to use");
  for (const std::size_t nic : wanted)
    if (nic >= slots)
      throw InputError(slots == 0
                           ? fmt::format("NIC {} asked for, but a {} has none", nic, type.title)
                           : fmt::format("NIC {} asked for, but a {} has {} (0 to {})", nic,
                                         type.title, slots, slots - 1));
}

/// The NICs asked for, without those a fault took away.
std::vector<std::size_t> remaining(const std::vector<std::size_t>& wanted, const NodeType& type) {
  std::vector<std::size_t> nics;
  for (std::size_t nic = 0; nic < type.nics.size(); ++nic)
    if (type.uses(nic) && std::find(wanted.begin(), wanted.end(), nic) != wanted.end())
      nics.push_back(nic);
  if (nics.empty()) throw InputError("a node has none of the NICs asked for");
  return nics;
}

void apply(const Transport& transport, NodeType& type) {
  NodeRules& rules = type.rules;
  if (transport.p2p_level) rules.p2p = *transport.p2p_level;
  rules.nvlink = rules.nvlink && transport.nvlink;
  if (transport.gdr_level) rules.gdr = *transport.gdr_level;
  if (transport.nics) {
    check_nics(*transport.nics, type);
    rules.nics = remaining(*transport.nics, type);
  }
  if (transport.sockets) {
    rules.gdr = PathClass::loc;
    type.nic_spec.kind = LinkKind::tcp;
  }
  const std::string fault = prepare(type);
  if (!fault.empty()) throw InputError(fmt::format("{}: {}", type.title, fault));
}

}  // namespace

std::shared_ptr<const Topology> with_transport(std::shared_ptr<const Topology> topology,
                                               const Transport& transport) {
  const bool same = !transport.p2p_level && transport.nvlink && !transport.gdr_level &&
                    !transport.nics && !transport.sockets;
  if (same) return topology;
  const auto* cluster = dynamic_cast<const ClusterTopology*>(topology.get());
  require(cluster != nullptr, "with_transport changes topologies that were loaded or parsed");
  auto variant = std::make_shared<Cluster>(cluster->cluster());
  const NicSpec nic = variant->types.front().nic_spec;
  for (NodeType& type : variant->types) apply(transport, type);
  const bool network = variant->nodes > 1;
  if (transport.sockets && network) {
    SocketNetwork sockets;
    // In an explicit graph the cables' own latencies were read; they are by kind unless given.
    const Time usual = variant->prefix_names ? nic.latency : nic_latency(nic.kind);
    sockets.latency_gain = Time{nic_latency(LinkKind::tcp).ps - usual.ps};
    sockets.node_limit = transport.node_limit.value_or(Bandwidth{});
    sockets.connection_limit = transport.connection_limit.value_or(Bandwidth{});
    variant->sockets = sockets;
    for (NodeType& type : variant->types) type.nic_spec.latency = nic_latency(LinkKind::tcp);
  }
  return ClusterTopology(std::move(variant)).first(cluster->gpu_count());
}

}  // namespace dsim
