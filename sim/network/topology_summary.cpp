#include "sim/network/topology_summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/base/error.h"
#include "sim/network/cluster_topology.h"
#include "sim/network/graph_search.h"

namespace dsim {
namespace {

const ClusterTopology& as_cluster(const Topology& topology) {
  const auto* cluster = dynamic_cast<const ClusterTopology*>(&topology);
  require(cluster != nullptr, "only topologies that were loaded or parsed are summarized");
  return *cluster;
}

using ClassKey = std::tuple<LinkKind, VertexKind, VertexKind, double, std::int64_t>;

/// Counts by class; classes come out in the order of kinds.
class LinkCounts {
 public:
  void add(const Link& link, VertexKind from, VertexKind to, std::size_t number) {
    const ClassKey key{link.kind, std::min(from, to), std::max(from, to),
                       link.bandwidth.bytes_per_second, link.latency.ps};
    if (key != last_key_) {
      last_ = &counts_[key];
      last_key_ = key;
    }
    *last_ += number;
  }
  std::vector<LinkClass> classes() const {
    std::vector<LinkClass> result;
    for (const auto& [key, count] : counts_) {
      const auto& [kind, from, to, bandwidth, latency] = key;
      result.push_back({kind, from, to, Bandwidth{bandwidth}, Time{latency}, count});
    }
    return result;
  }

 private:
  std::map<ClassKey, std::size_t> counts_;
  ClassKey last_key_{LinkKind::tcp, VertexKind::core, VertexKind::core, -1, -1};
  std::size_t* last_ = nullptr;
};

/// Link by link, with the rates that faults leave and without what is broken.
void count_faulty_links(const ClusterTopology& topology, LinkCounts& links) {
  const auto add = [&](std::size_t l) {
    const Link link = topology.link(LinkId(l));
    links.add(link, topology.vertex_kind(link.from), topology.vertex_kind(link.to), 1);
  };
  std::size_t first = 0;
  for (std::size_t node = 0; node < topology.cluster().nodes; ++node) {
    const NodeType& type = topology.node_type(node);
    for (std::size_t l = 0; l < type.graph.links.size(); ++l)
      if (type.open(LinkId(l))) add(first + l);
    first += type.graph.links.size();
  }
  for (std::size_t l = first; l < topology.link_count(); ++l) add(l);
}

void count_parts(const ClusterTopology& topology, TopologySummary& summary) {
  const Cluster& cluster = topology.cluster();
  const Fabric& fabric = *cluster.fabric;
  std::map<VertexKind, std::size_t> vertices;
  LinkCounts links;
  const std::size_t repeated = cluster.uniform() ? cluster.nodes : 1;
  for (std::size_t t = 0; t < (cluster.uniform() ? 1 : cluster.types.size()); ++t) {
    const NodeType& type = cluster.types[t];
    for (const Vertex& vertex : type.graph.vertices) vertices[vertex.kind] += repeated;
    for (const Link& link : type.graph.links)
      links.add(link, type.graph.vertex(link.from).kind, type.graph.vertex(link.to).kind, repeated);
  }
  for (std::size_t v = 0; v < fabric.vertex_count(); ++v) ++vertices[fabric.vertex_kind(v)];
  const auto kind_of = [&](FabricEnd end) {
    return end.is_port ? VertexKind::nic : fabric.vertex_kind(end.index);
  };
  if (cluster.faults > 0) {
    links = {};
    count_faulty_links(topology, links);
  } else {
    for (std::size_t l = 0; l < fabric.link_count(); ++l) {
      const Cable cable = fabric.cable(l);
      links.add({{}, {}, cable.bandwidth, cable.latency, cable.kind}, kind_of(cable.from),
                kind_of(cable.to), 1);
    }
  }
  for (const auto& [kind, count] : vertices) summary.vertices.push_back({kind, count});
  summary.links = links.classes();
}

/// Structured fabrics are alike everywhere: the first node to itself, its neighbour, the one half
/// round and the last meets every distance. Of small graphs all pairs are tried.
void find_longest_route(const Topology& topology, TopologySummary& summary) {
  const std::size_t gpus = topology.gpu_count(), nodes = topology.node_count();
  std::set<std::size_t> tried{0, nodes > 1 ? std::size_t{1} : 0, nodes / 2, nodes - 1};
  std::vector<GpuId> sources, targets;
  for (std::size_t g = 0; g < gpus; ++g) {
    const std::size_t node = topology.node_of(GpuId(g));
    if (node == 0 || gpus <= 64) sources.emplace_back(g);
    if (tried.count(node) != 0 || gpus <= 64) targets.emplace_back(g);
  }
  Route route;
  for (const GpuId from : sources)
    for (const GpuId to : targets) {
      if (from == to) continue;
      topology.route(from, to, topology.default_routing(), {}, route);
      double length = 0;  // equal paths are equally long, so shares add up to one path's links
      for (const LinkShare& part : route.links) length += part.share;
      summary.longest_route =
          std::max(summary.longest_route, static_cast<std::size_t>(length + 0.5));
      summary.most_switches = std::max(summary.most_switches, route.switch_hops);
    }
}

}  // namespace

Bandwidth bisection_bandwidth(const Topology& topology) {
  const ClusterTopology& cluster = as_cluster(topology);
  const std::size_t nodes = cluster.node_count();
  if (nodes > 1 && cluster.cluster().faults > 0) return bisection_by_max_flow(topology);
  if (nodes > 1)
    return cluster.cluster().fabric->rate_between(cluster.ports_before(nodes / 2),
                                                  cluster.ports_before(nodes));
  const NodeType& type = cluster.node_type(0);
  const std::span<const VertexId> gpus(type.gpus.data(), cluster.gpu_count());
  if (gpus.size() < 2) return {};
  Graph graph = type.graph;
  for (std::size_t l = 0; l < graph.links.size(); ++l)
    graph.links[l].bandwidth =
        type.open(LinkId(l)) ? topology.link(LinkId(l)).bandwidth : Bandwidth{};
  return max_flow(graph, gpus.first(gpus.size() / 2), gpus.subspan(gpus.size() / 2));
}

Bandwidth bisection_by_max_flow(const Topology& topology) {
  const ClusterTopology& cluster = as_cluster(topology);
  const std::size_t nodes = cluster.node_count();
  if (nodes < 2) return bisection_bandwidth(topology);
  const Fabric& fabric = *cluster.cluster().fabric;
  const std::size_t ports = cluster.ports_before(cluster.cluster().nodes);
  Graph graph;
  graph.vertices.resize(ports + fabric.vertex_count());
  const auto id = [&](FabricEnd end) {
    return VertexId(end.is_port ? end.index : ports + end.index);
  };
  std::size_t first_cable = 0;
  for (std::size_t n = 0; n < cluster.cluster().nodes; ++n)
    first_cable += cluster.node_type(n).graph.links.size();
  for (std::size_t l = 0; l < fabric.link_count(); ++l) {
    const Cable cable = fabric.cable(l);
    const Bandwidth rate = topology.link(LinkId(first_cable + l)).bandwidth;  // faults included
    graph.links.push_back({id(cable.from), id(cable.to), rate, cable.latency, cable.kind});
  }
  std::vector<VertexId> sources, sinks;
  for (std::size_t n = 0; n < nodes; ++n)
    for (const std::size_t nic : cluster.nics_of_node(n))
      (n < nodes / 2 ? sources : sinks).emplace_back(cluster.ports_before(n) + nic);
  return max_flow(graph, sources, sinks);
}

TopologySummary summarize(const Topology& topology) {
  const ClusterTopology& cluster = as_cluster(topology);
  TopologySummary summary;
  summary.name = topology.name();
  summary.description = topology.description();
  summary.gpu_model = topology.gpu_model();
  summary.cpu_vendor = topology.cpu_vendor();
  summary.nodes = topology.node_count();
  summary.gpus = topology.gpu_count();
  summary.gpus_per_node = topology.gpus_per_node();
  summary.nics_per_node = topology.nics_per_node();
  summary.routing = topology.default_routing();
  count_parts(cluster, summary);
  summary.bisection = bisection_bandwidth(topology);
  for (std::size_t node = 0; summary.nodes > 1 && node < summary.nodes / 2; ++node) {
    const NodeType& type = cluster.node_type(node);
    summary.half_of_nics.bytes_per_second +=
        static_cast<double>(type.nics.size()) * type.nic_spec.bandwidth.bytes_per_second;
  }
  find_longest_route(topology, summary);
  const NodeType& type = cluster.node_type(0);
  for (std::size_t g = 0; g < std::min(type.gpus.size(), summary.gpus); ++g) {
    GpuNics entry{type.nics_of[g], false};
    if (!entry.nics.empty()) entry.crosses_cpu = type.nic_path(g, entry.nics.front()).crosses_cpu;
    summary.gpu_nics.push_back(std::move(entry));
  }
  return summary;
}

}  // namespace dsim
