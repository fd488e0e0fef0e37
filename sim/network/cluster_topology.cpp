#include "sim/network/cluster_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

/// Mixes a flow's end points and number into a hash (splitmix64 by Vigna, public domain).
std::uint64_t flow_hash(std::size_t from, std::size_t to, RouteKey key) {
  std::uint64_t hash =
      (static_cast<std::uint64_t>(from) << 32 | to) ^ key.flow * 0x9e3779b97f4a7c15u;
  hash += 0x9e3779b97f4a7c15u * (key.channel + 1u);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

}  // namespace

ClusterTopology::ClusterTopology(std::shared_ptr<const Cluster> cluster)
    : cluster_(std::move(cluster)), uniform_(cluster_->uniform()) {
  const auto counts = [](const NodeType& type) {
    return Counts{type.graph.vertices.size(), type.graph.links.size(), type.gpus.size(),
                  type.nics.size()};
  };
  require(uniform_ || cluster_->types.size() == cluster_->nodes, "there is a type for each host");
  if (uniform_) {
    of_one_ = counts(cluster_->types.front());
  } else {
    starts_.resize(1);
    for (const NodeType& type : cluster_->types) {
      const Counts one = counts(type);
      const Counts& last = starts_.back();
      starts_.push_back({last.vertices + one.vertices, last.links + one.links, last.gpus + one.gpus,
                         last.ports + one.ports});
    }
  }
  total_ = before(cluster_->nodes);
  used_nodes_ = cluster_->nodes;
  used_gpus_ = total_.gpus;
}

ClusterTopology::Counts ClusterTopology::before(std::size_t node) const {
  if (!uniform_) return starts_[node];
  return {node * of_one_.vertices, node * of_one_.links, node * of_one_.gpus, node * of_one_.ports};
}

std::size_t ClusterTopology::node_holding(std::size_t index, std::size_t Counts::*what) const {
  if (uniform_) return index / (of_one_.*what);
  const auto next =
      std::upper_bound(starts_.begin(), starts_.end(), index,
                       [what](std::size_t i, const Counts& start) { return i < start.*what; });
  return static_cast<std::size_t>(next - starts_.begin()) - 1;
}

std::string ClusterTopology::description() const {
  const NodeType& type = node_type(0);
  const std::size_t gpus = type.gpus.size(), nics = type.nics.size();
  std::string text;
  if (used_gpus_ < before(used_nodes_).gpus)
    text += fmt::format("{} of {} GPUs of ", used_gpus_, gpus);
  if (used_nodes_ < cluster_->nodes) text += fmt::format("{} of ", used_nodes_);
  text += fmt::format("{} × {} ({}{}", cluster_->nodes, type.title,
                      gpus > 1 ? fmt::format("{} × ", gpus) : "",
                      type.gpu_links.empty() ? "GPU" : type.gpu_links);
  if (nics > 0 && type.nic_spec.bandwidth.bytes_per_second > 0)
    text += fmt::format(", {} × {}", nics, format_bandwidth_bits(type.nic_spec.bandwidth));
  text += "), " + cluster_->fabric->description();
  if (cluster_->faults > 0)
    text += fmt::format(", {} fault{}", cluster_->faults, cluster_->faults == 1 ? "" : "s");
  return text;
}

std::size_t ClusterTopology::gpus_per_node() const {
  std::size_t most = 0;
  for (std::size_t n = 0; n < (alike() ? 1 : used_nodes_); ++n)
    most = std::max(most, node_type(n).gpus.size());
  return std::min(most, used_gpus_);
}

std::size_t ClusterTopology::nics_per_node() const {
  std::size_t most = 0;
  for (std::size_t n = 0; n < (alike() ? 1 : used_nodes_); ++n)
    most = std::max(most, node_type(n).nics.size());
  return most;
}

std::size_t ClusterTopology::node_of(GpuId gpu) const {
  return node_holding(gpu.index(), &Counts::gpus);
}

std::size_t ClusterTopology::local_index(GpuId gpu) const {
  return gpu.index() - before(node_of(gpu)).gpus;
}

std::vector<std::size_t> ClusterTopology::nics_of(GpuId gpu) const {
  return node_type(node_of(gpu)).nics_of[local_index(gpu)];
}

std::size_t ClusterTopology::vertex_count() const {
  return total_.vertices + cluster_->fabric->vertex_count();
}
std::size_t ClusterTopology::link_count() const {
  const bool limited = cluster_->sockets && cluster_->sockets->node_limit.bytes_per_second > 0;
  return total_.links + cluster_->fabric->link_count() + (limited ? 2 * cluster_->nodes : 0);
}

VertexKind ClusterTopology::vertex_kind(VertexId vertex) const {
  const std::size_t v = vertex.index();
  require(v < vertex_count(), "a vertex id is below vertex_count()");
  if (v >= total_.vertices) return cluster_->fabric->vertex_kind(v - total_.vertices);
  const std::size_t node = node_holding(v, &Counts::vertices);
  return node_type(node).graph.vertices[v - before(node).vertices].kind;
}

std::string ClusterTopology::vertex_name(VertexId vertex) const {
  const std::size_t v = vertex.index();
  require(v < vertex_count(), "a vertex id is below vertex_count()");
  if (v >= total_.vertices) return cluster_->fabric->vertex_name(v - total_.vertices);
  const std::size_t node = node_holding(v, &Counts::vertices);
  const std::string& name = node_type(node).graph.vertices[v - before(node).vertices].name;
  return cluster_->prefix_names ? fmt::format("node{}.{}", node, name) : name;
}

VertexId ClusterTopology::gpu_vertex(GpuId gpu) const {
  require(gpu.index() < total_.gpus, "a GPU id is below gpu_count()");
  const std::size_t node = node_of(gpu);
  return VertexId(before(node).vertices +
                  node_type(node).gpus[gpu.index() - before(node).gpus].index());
}

VertexId ClusterTopology::end_of(FabricEnd end) const {
  if (!end.is_port) return VertexId(total_.vertices + end.index);
  const std::size_t node = node_holding(end.index, &Counts::ports);
  return VertexId(before(node).vertices +
                  node_type(node).nics[end.index - before(node).ports].index());
}

Link ClusterTopology::link(LinkId id) const {
  const std::size_t l = id.index();
  require(l < link_count(), "a link id is below link_count()");
  if (const std::size_t fabric_end = total_.links + cluster_->fabric->link_count();
      l >= fabric_end) {
    // What the processor of a node does for its sockets: a loop at its first vertex.
    const VertexId host(before((l - fabric_end) / 2).vertices);
    return {host, host, cluster_->sockets->node_limit, Time{}, LinkKind::tcp};
  }
  const auto factor = [&] {
    const auto found = cluster_->link_factor.find(id.value);
    return found == cluster_->link_factor.end() ? 1.0 : found->second;
  };
  if (l >= total_.links) {
    const Cable cable = cluster_->fabric->cable(l - total_.links);
    Link link{end_of(cable.from), end_of(cable.to), cable.bandwidth, cable.latency, cable.kind};
    if (!cluster_->link_factor.empty()) link.bandwidth.bytes_per_second *= factor();
    if (cluster_->sockets) {
      const int ports = int{cable.from.is_port} + int{cable.to.is_port};
      link.latency += Time{cluster_->sockets->latency_gain.ps * ports / 2};
      link.kind = LinkKind::tcp;
    }
    return link;
  }
  const std::size_t node = node_holding(l, &Counts::links);
  const Counts start = before(node);
  Link link = node_type(node).graph.links[l - start.links];
  link.from = VertexId(start.vertices + link.from.index());
  link.to = VertexId(start.vertices + link.to.index());
  if (!cluster_->link_factor.empty()) link.bandwidth.bytes_per_second *= factor();
  return link;
}

void ClusterTopology::append_local(std::size_t node, const LocalPath& path, bool backwards,
                                   Route& out) const {
  const Graph& graph = node_type(node).graph;
  const std::size_t first = before(node).links;
  for (std::size_t i = 0; i < path.links.size(); ++i) {
    const LinkId link =
        backwards ? graph.reverse[path.links[path.links.size() - 1 - i].index()] : path.links[i];
    out.links.push_back({LinkId(first + link.index()), 1});
  }
  out.latency += path.latency;
  out.crosses_cpu = out.crosses_cpu || path.crosses_cpu;
  out.staged = out.staged || path.staged;
}

void ClusterTopology::append_fabric(std::size_t from, std::size_t to, PathChoice choice,
                                    Route& out) const {
  const Fabric& fabric = *cluster_->fabric;
  const std::size_t first = out.links.size();
  fabric.append_route(from, to, choice, static_cast<std::uint32_t>(total_.links), out);
  if (!cluster_->sockets) return;
  double ends = 0;
  for (std::size_t i = first; i < out.links.size(); ++i) {
    const Cable cable = fabric.cable(out.links[i].link.index() - total_.links);
    ends += out.links[i].share * (int{cable.from.is_port} + int{cable.to.is_port});
  }
  out.latency +=
      Time{std::llround(static_cast<double>(cluster_->sockets->latency_gain.ps) * ends / 2)};
  out.connection_limit = cluster_->sockets->connection_limit;
}

void ClusterTopology::stripe(std::size_t here, std::size_t source, std::size_t there,
                             std::size_t target, PathChoice choice, Route& out) const {
  const NodeType& near = node_type(here);
  const NodeType& far = node_type(there);
  const std::size_t rails = near.nics_of[source].size();
  for (std::size_t i = 0; i < rails; ++i) {
    const std::size_t leaving = near.nics_of[source][i], arriving = far.nics_of[target][i];
    const std::size_t first = out.links.size();
    out.latency = Time{};  // that of one way
    out.switch_hops = 0;
    append_local(here, near.nic_path(source, leaving), false, out);
    append_fabric(before(here).ports + leaving, before(there).ports + arriving, choice, out);
    append_local(there, far.nic_path(target, arriving), true, out);
    for (std::size_t l = first; l < out.links.size(); ++l)
      out.links[l].share /= static_cast<double>(rails);
  }
  out.leaves_node = true;
}

void ClusterTopology::route(GpuId from, GpuId to, Routing routing, RouteKey key, Route& out) const {
  require(from != to && from.index() < total_.gpus && to.index() < total_.gpus,
          "a route joins two different GPUs of the topology");
  out.links.clear();
  out.latency = Time{};
  out.leaves_node = out.crosses_cpu = out.staged = false;
  out.switch_hops = 0;
  out.connection_limit = {};

  const std::size_t here = node_of(from), there = node_of(to);
  const std::size_t source = from.index() - before(here).gpus,
                    target = to.index() - before(there).gpus;
  const NodeType& near = node_type(here);
  const NodeType& far = node_type(there);
  if (here == there) {
    append_local(here, near.gpu_path(source, target), false, out);
    return;
  }

  // The NICs: the receiver's own; the sender's own, or that of the receiver's rail.
  const auto own = [&](const NodeType& type, std::size_t gpu) {
    const auto& nics = type.nics_of[gpu];
    return nics[key.channel % nics.size()];
  };
  std::size_t arriving = own(far, target);
  std::size_t sender = source, leaving = own(near, source);
  const std::size_t first_here = before(here).ports, destination = before(there).ports;
  if (!cluster_->fabric->reaches(first_here + leaving, destination + arriving) &&
      !near.uses(arriving)) {
    // The fabric joins rails alone and this one is broken here: a rail that both ends still have.
    for (std::size_t nic = 0; nic < far.nics.size(); ++nic)
      if (near.uses(nic) && far.uses(nic)) arriving = nic;
    require(near.uses(arriving), "two nodes of a fabric of rails have a rail in common");
  }
  const bool reached = cluster_->fabric->reaches(first_here + leaving, destination + arriving);
  if (leaving != arriving && near.uses(arriving) &&
      (routing == Routing::rail_aligned || !reached)) {
    const std::size_t relay = near.relay_to(source, arriving, target);
    const auto& nics = near.nics_of[relay];
    const bool joined = std::find(nics.begin(), nics.end(), arriving) != nics.end();
    if (joined) sender = relay;
    if (joined || !reached) leaving = arriving;  // without NVLink, over PCIe to the other NIC
  }

  const bool railed = key.rail < near.nics.size() && key.rail < far.nics.size() &&
                      near.uses(key.rail) && far.uses(key.rail);
  if (railed) {
    arriving = leaving = key.rail;
    sender = source;
    const auto beside = [&](std::size_t gpu) {
      const auto& nics = near.nics_of[gpu];
      return std::find(nics.begin(), nics.end(), leaving) != nics.end();
    };
    if (!beside(source) && near.nic_path(source, leaving).path_class > PathClass::pxb) {
      const std::size_t relay = near.relay_to(source, leaving, target);
      if (beside(relay)) sender = relay;
    }
  }
  // The libfabric plugin stripes a message over all NICs of a GPU (aws/aws-ofi-nccl 2daf7d30,
  // rails).
  const auto& leaving_by = near.nics_of[source];
  const auto& arriving_by = far.nics_of[target];
  if ((near.nic_spec.kind == LinkKind::efa || near.nic_spec.ports > 1) && leaving_by.size() > 1 &&
      leaving_by.size() == arriving_by.size() && !cluster_->sockets) {
    stripe(here, source, there, target,
           {routing != Routing::hash, flow_hash(from.index(), to.index(), key)}, out);
    return;
  }

  if (sender != source) append_local(here, near.gpu_path(source, sender), false, out);
  append_local(here, near.nic_path(sender, leaving), false, out);
  const PathChoice choice{routing != Routing::hash, flow_hash(from.index(), to.index(), key)};
  const bool limited = cluster_->sockets && cluster_->sockets->node_limit.bytes_per_second > 0;
  if (limited) out.links.push_back({LinkId(host_link(here, true)), 1});
  append_fabric(first_here + leaving, destination + arriving, choice, out);
  if (limited) out.links.push_back({LinkId(host_link(there, false)), 1});
  append_local(there, far.nic_path(target, arriving), true, out);
  out.leaves_node = true;
}

bool ClusterTopology::nvlink_inside_node() const {
  for (std::size_t n = 0; n < (alike() ? 1 : used_nodes_); ++n) {
    const NodeType& type = node_type(n);
    if (!type.nvlink_among(std::min(type.gpus.size(), used_gpus_))) return false;
  }
  return true;
}

PathClass ClusterTopology::path_class(GpuId from, GpuId to) const {
  const std::size_t node = node_of(from);
  if (from == to) return PathClass::loc;
  if (node != node_of(to)) return PathClass::net;
  return node_type(node).gpu_path(local_index(from), local_index(to)).path_class;
}

PathClass ClusterTopology::nic_path_class(GpuId gpu, std::size_t nic) const {
  const NodeType& type = node_type(node_of(gpu));
  require(nic < type.nics.size(), "a NIC index is below the number of NICs of the node");
  return type.nic_path(local_index(gpu), nic).path_class;
}

std::size_t ClusterTopology::nvlink_count(GpuId from, GpuId to) const {
  const std::size_t node = node_of(from);
  if (node != node_of(to)) return 0;
  const NodeType& type = node_type(node);
  return type.nvlinks[local_index(from) * type.gpus.size() + local_index(to)];
}

std::size_t ClusterTopology::nvswitch_links(GpuId gpu) const {
  return node_type(node_of(gpu)).nvswitch_links[local_index(gpu)];
}

std::vector<std::size_t> ClusterTopology::nics_of_node(std::size_t node) const {
  const NodeType& type = node_type(node);
  std::vector<std::size_t> nics;
  for (std::size_t nic = 0; nic < type.nics.size(); ++nic)
    if (type.uses(nic)) nics.push_back(nic);
  return nics;
}

void ClusterTopology::refuse_gpu(std::string_view message) const {
  if (cluster_->gpu_place) cluster_->gpu_place->fail(message);
  throw InputError(message);
}

std::shared_ptr<const ClusterTopology> ClusterTopology::first(std::size_t gpus) const {
  require(gpus >= 1 && gpus <= used_gpus_,
          "a part of a topology has at least one and at most all of its GPUs");
  auto part = std::make_shared<ClusterTopology>(cluster_);
  part->used_nodes_ = node_of(GpuId(gpus - 1)) + 1;
  part->used_gpus_ = gpus;
  return part;
}

}  // namespace dsim
