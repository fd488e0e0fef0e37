// Explicit graphs: vertices, hosts and links written one by one. The inside of each host becomes a
// node type of its own, the rest an ExplicitGraph.
#include <fmt/format.h>

#include <algorithm>

#include "sim/network/fabrics/explicit_graph.h"
#include "sim/network/graph_reader.h"
#include "sim/network/graph_search.h"
#include "sim/network/link_defaults.h"
#include "sim/network/node_type_file.h"
#include "sim/network/topology_file.h"

namespace dsim {
namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

struct Hosts {
  std::vector<std::string> names;
  std::vector<std::vector<VertexId>> members;
  std::vector<std::size_t> of;  ///< host of each vertex; nowhere for switches of the fabric
  std::vector<json::Value> places;
};

void read_member(const json::Value& value, GraphReader& reader, Hosts& hosts) {
  const VertexId vertex = reader.vertex(value);
  const Vertex& named = reader.graph().vertex(vertex);
  std::size_t& host = hosts.of[vertex.index()];
  if (is_fabric_switch(named.kind))
    value.fail(fmt::format("'{}' is a {} of the fabric and stands in no host", named.name,
                           name_of(named.kind)));
  if (host != nowhere)
    value.fail(fmt::format("'{}' is in host '{}' already", named.name, hosts.names[host]));
  host = hosts.members.size() - 1;
  hosts.members.back().push_back(vertex);
}

/// {"a": ["gpu0", "nic0"], ...}; without it everything but switches is one host.
Hosts read_hosts(json::ObjectReader& reader, GraphReader& graph, json::Problems& problems) {
  Hosts hosts;
  const auto& vertices = graph.graph().vertices;
  hosts.of.assign(vertices.size(), nowhere);
  const auto value = reader.find("hosts");
  if (!value) {
    hosts.names.push_back("host");
    hosts.places.push_back(reader.at("vertices"));
    hosts.members.emplace_back();
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (is_fabric_switch(vertices[v].kind)) continue;
      hosts.of[v] = 0;
      hosts.members[0].emplace_back(v);
    }
    return hosts;
  }
  for (const auto& [name, list] : value->members()) {
    hosts.names.emplace_back(name);
    hosts.places.push_back(list);
    hosts.members.emplace_back();
    problems.attempt([&, list = list] {
      for (const json::Value& member : list.elements())
        problems.attempt([&] { read_member(member, graph, hosts); });
    });
  }
  problems.attempt([&] {
    std::string strays;
    for (std::size_t v = 0; v < vertices.size(); ++v)
      if (hosts.of[v] == nowhere && !is_fabric_switch(vertices[v].kind) && strays.size() < 80)
        strays += fmt::format("{}'{}'", strays.empty() ? "" : ", ", vertices[v].name);
    if (!strays.empty())
      value->fail(
          fmt::format("every vertex but a switch of the fabric is in a host; not so {}", strays));
  });
  return hosts;
}

/// The graph cut up: one for each host, and one of ports and switches for the fabric.
struct Pieces {
  std::vector<NodeType> hosts;
  Graph fabric;
  std::size_t ports = 0;
};

/// Links may lead out of a host only from a NIC; fails at those that do not.
void check_link(const Hosts& hosts, const GraphReader& reader, const Graph& graph, LinkId id) {
  const Link& link = graph.link(id);
  const std::size_t from = hosts.of[link.from.index()], to = hosts.of[link.to.index()];
  if (!is_network(link.kind) && from != to)
    reader.place(id).fail(
        fmt::format("a link of kind {} joins hosts '{}' and '{}'; only network links leave a host",
                    name_of(link.kind), hosts.names[from], hosts.names[to]));
}

Pieces cut(const Hosts& hosts, const Graph& graph, const NodeType& hardware) {
  Pieces pieces;
  pieces.hosts.assign(hosts.members.size(), hardware);
  std::vector<VertexId> local(graph.vertices.size()), outside(graph.vertices.size());
  const auto add_vertex = [&](Graph& piece, std::vector<VertexId>& ids, VertexId v) {
    ids[v.index()] = VertexId(piece.vertices.size());
    piece.vertices.push_back(graph.vertex(v));
  };
  for (std::size_t h = 0; h < hosts.members.size(); ++h)
    for (const VertexId v : hosts.members[h]) {
      add_vertex(pieces.hosts[h].graph, local, v);
      if (graph.vertex(v).kind == VertexKind::nic) add_vertex(pieces.fabric, outside, v);
    }
  pieces.ports = pieces.fabric.vertices.size();
  for (std::size_t v = 0; v < graph.vertices.size(); ++v)
    if (is_fabric_switch(graph.vertices[v].kind)) add_vertex(pieces.fabric, outside, VertexId(v));

  std::vector<LinkId> renumbered(graph.links.size());
  const auto piece_of = [&](const Link& link) -> Graph& {
    return is_network(link.kind) ? pieces.fabric : pieces.hosts[hosts.of[link.from.index()]].graph;
  };
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    Link link = graph.links[l];
    Graph& piece = piece_of(link);
    const auto& ids = is_network(link.kind) ? outside : local;
    const std::size_t host = hosts.of[link.from.index()];
    // What a host's NICs are for the report: the first cable that leaves it.
    if (is_network(link.kind) && host != nowhere &&
        pieces.hosts[host].nic_spec.bandwidth.bytes_per_second == 0)
      pieces.hosts[host].nic_spec = {link.kind, link.bandwidth, link.latency};
    link.from = ids[link.from.index()];
    link.to = ids[link.to.index()];
    renumbered[l] = LinkId(piece.links.size());
    piece.links.push_back(link);
    piece.reverse.emplace_back();
  }
  for (std::size_t l = 0; l < graph.links.size(); ++l)
    piece_of(graph.links[l]).reverse[renumbered[l].index()] = renumbered[graph.reverse[l].index()];
  return pieces;
}

/// A NIC that others cannot reach must at least be on a rail of its own: the fabric joins all NICs,
/// or those of each index in hosts with equally many.
void check_rails(const Pieces& pieces, const json::Value& place) {
  std::vector<std::size_t> part_of(pieces.fabric.vertices.size());
  const auto parts = connected_parts(pieces.fabric);
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const VertexId v : parts[p]) part_of[v.index()] = p;
  const auto joined = [&](std::size_t a, std::size_t b) { return part_of[a] == part_of[b]; };
  bool all = true;
  for (std::size_t port = 1; port < pieces.ports; ++port) all = all && joined(0, port);
  if (all) return;
  const std::size_t nics = pieces.hosts[0].nics.size();
  for (std::size_t port = 0; port < pieces.ports; ++port) {
    const bool equal = pieces.ports == nics * pieces.hosts.size();
    if (equal && joined(port % nics, port)) continue;
    place.fail(fmt::format(
        "no network link leads from '{}' to '{}'; the fabric must join all NICs, or those of "
        "one index in hosts with equally many",
        pieces.fabric.vertices[port].name, pieces.fabric.vertices[equal ? port % nics : 0].name));
  }
}

}  // namespace

void read_explicit(json::ObjectReader& reader, const json::Value&, Cluster& cluster) {
  const auto gpu = reader.find("gpu"), cpu = reader.find("cpu"), links = reader.find("links");
  const json::Value vertices = reader.at("vertices");
  for (const char* key : {"hosts", "routing"}) reader.find(key);
  json::Problems problems;
  GraphReader graph(problems, true);
  NodeType hardware;
  Hosts hosts;
  bool known = false;
  problems.attempt([&] {
    for (const char* key : {"gpu", "cpu", "links"}) reader.at(key);
    reader.finish();
  });
  problems.attempt([&] {
    hardware.gpu_model = gpu ? read_gpu(*gpu) : "";
    cluster.gpu_place = gpu;
  });
  problems.attempt([&] { hardware.cpu_vendor = cpu ? read_cpu(*cpu) : ""; });
  problems.attempt([&] { cluster.routing = read_routing(reader, Routing::spray); });
  problems.attempt([&] {
    graph.read_vertices(vertices);
    known = true;
    const auto& all = graph.graph().vertices;
    if (std::none_of(all.begin(), all.end(),
                     [](const Vertex& v) { return v.kind == VertexKind::gpu; }))
      vertices.fail("a topology needs at least one gpu");
  });
  problems.attempt([&] {
    if (known) hosts = read_hosts(reader, graph, problems);
  });
  problems.attempt([&] {
    if (known && links) graph.read_links(*links);
  });
  problems.raise();

  const Graph& whole = graph.graph();
  for (std::size_t l = 0; l < whole.links.size(); ++l)
    if (whole.links[l].from < whole.links[l].to)
      problems.attempt([&] { check_link(hosts, graph, whole, LinkId(l)); });
  problems.raise();
  check_connected(whole, "the graph", *links);
  hardware.title = "host";
  hardware.gpu_links = graph.gpu_links();
  Pieces pieces = cut(hosts, whole, hardware);
  for (std::size_t h = 0; h < pieces.hosts.size(); ++h)
    problems.attempt([&] {
      NodeType& type = pieces.hosts[h];
      prepare_or_fail(type, hosts.places[h]);
      if (type.gpus.empty())
        hosts.places[h].fail(fmt::format("host '{}' has no gpu", hosts.names[h]));
      if (type.nics.empty() && pieces.hosts.size() > 1)
        hosts.places[h].fail(
            fmt::format("host '{}' has no nic to reach the others", hosts.names[h]));
    });
  problems.raise();
  if (pieces.hosts.size() > 1) check_rails(pieces, *links);
  if (!reader.find("routing"))
    cluster.routing = default_routing(pieces.hosts.front().nic_spec.kind);
  cluster.nodes = pieces.hosts.size();
  cluster.types = std::move(pieces.hosts);
  cluster.fabric = std::make_unique<fabrics::ExplicitGraph>(std::move(pieces.fabric), pieces.ports);
  cluster.prefix_names = false;
}

}  // namespace dsim
