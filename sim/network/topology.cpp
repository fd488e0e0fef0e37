#include "sim/network/topology.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/network/cluster_topology.h"

namespace dsim {

std::string_view name_of(VertexKind kind) {
  switch (kind) {
    case VertexKind::gpu:
      return "gpu";
    case VertexKind::nvswitch:
      return "nvswitch";
    case VertexKind::pcie_switch:
      return "pcie_switch";
    case VertexKind::cpu:
      return "cpu";
    case VertexKind::nic:
      return "nic";
    case VertexKind::leaf:
      return "leaf";
    case VertexKind::spine:
      return "spine";
    case VertexKind::core:
      return "core";
  }
  return "?";
}

std::string_view name_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
      return "nvlink";
    case LinkKind::xgmi:
      return "xgmi";
    case LinkKind::c2c:
      return "c2c";
    case LinkKind::pcie:
      return "pcie";
    case LinkKind::socket:
      return "socket";
    case LinkKind::ib:
      return "ib";
    case LinkKind::roce:
      return "roce";
    case LinkKind::efa:
      return "efa";
    case LinkKind::slingshot:
      return "slingshot";
    case LinkKind::tcpx:
      return "tcpx";
    case LinkKind::tcpxo:
      return "tcpxo";
    case LinkKind::tcp:
      return "tcp";
  }
  return "?";
}

std::string_view name_of(Routing routing) {
  switch (routing) {
    case Routing::rail_aligned:
      return "rail_aligned";
    case Routing::spray:
      return "spray";
    case Routing::hash:
      return "hash";
  }
  return "?";
}

std::shared_ptr<const Topology> first_gpus(std::shared_ptr<const Topology> topology,
                                           std::size_t gpus) {
  if (gpus == 0) throw InputError("a job needs at least 1 GPU");
  const std::size_t all = topology->gpu_count();
  if (gpus > all)
    throw InputError(fmt::format(
        "{} GPUs asked for, but {} has {} ({} node{} of {})", gpus, topology->name(), all,
        topology->node_count(), topology->node_count() == 1 ? "" : "s", topology->gpus_per_node()));
  if (gpus == all) return topology;
  const std::size_t last = topology->node_of(GpuId(gpus - 1));
  if (last > 0 && topology->node_of(GpuId(gpus)) == last) {
    const std::size_t below = gpus - 1 - topology->local_index(GpuId(gpus - 1));
    std::size_t above = gpus;
    while (above < all && topology->node_of(GpuId(above)) == last) ++above;
    throw InputError(fmt::format("{} GPUs are not whole nodes of {} (try {} or {})", gpus,
                                 topology->name(), below, above));
  }
  const auto cluster = std::dynamic_pointer_cast<const ClusterTopology>(topology);
  require(cluster != nullptr, "first_gpus cuts topologies that were loaded or parsed");
  return cluster->first(gpus);
}

}  // namespace dsim
