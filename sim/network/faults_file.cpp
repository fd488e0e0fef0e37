// "faults" of a topology file: slow and broken links, lost NICs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/base/spelling.h"
#include "sim/network/node_type_file.h"
#include "sim/network/topology_file.h"

namespace dsim {
namespace {

/// The named vertices of a cluster and what lies between them.
class FaultReader {
 public:
  explicit FaultReader(Cluster& cluster)
      : cluster_(cluster), topology_(std::shared_ptr<const Cluster>(&cluster, [](auto*) {})) {
    const Fabric& fabric = *cluster_.fabric;
    for (std::size_t v = 0; v < fabric.vertex_count(); ++v)
      switches_.emplace(fabric.vertex_name(v), v);
  }

  void read(const json::Value& value) {
    json::ObjectReader spec(value);
    const auto link = spec.find("link"), nic = spec.find("nic"), gpu = spec.find("gpu");
    const auto factor = spec.find("bandwidth_factor"), down = spec.find("down");
    if (int{link.has_value()} + int{nic.has_value()} + int{gpu.has_value()} != 1)
      value.fail("a fault has one of \"link\", \"nic\" and \"gpu\"");
    if (factor.has_value() == down.has_value())
      value.fail("a fault has either \"bandwidth_factor\" or \"down\": true");
    spec.finish();
    if (down && !down->as_bool()) down->fail("\"down\" is true, or left out");
    double rate = 0;
    if (factor) {
      rate = factor->as_number();
      if (!(rate >= 1e-6 && rate <= 1))
        factor->fail("a bandwidth factor is from 1e-6 to 1 (\"down\": true takes a link away)");
    }
    if (link) return read_link(*link, rate);
    const Place place = find(nic ? *nic : *gpu);
    const VertexKind wanted = nic ? VertexKind::nic : VertexKind::gpu;
    if (place.kind != wanted)
      (nic ? *nic : *gpu)
          .fail(fmt::format("'{}' is a {}, not a {}", (nic ? *nic : *gpu).as_string(),
                            name_of(place.kind), name_of(wanted)));
    if (rate > 0) return slow_all(place, rate);
    if (gpu) return break_nvlinks(place, *gpu);
    lose_nic(place, *nic);
  }

  /// Finds the paths of the nodes that changed.
  void finish(const json::Value& place) {
    for (const std::size_t t : changed_) prepare_or_fail(cluster_.types[t], place);
    if (cluster_.nodes < 2) return;
    // A fabric of rails needs one that every node still has.
    const std::size_t nics = topology_.node_type(0).nics.size();
    if (!cluster_.uniform() || nics == 0 || cluster_.fabric->reaches(0, nics + nics - 1) ||
        nics == 1)
      return;
    for (std::size_t nic = 0; nic < nics; ++nic)
      if (std::all_of(cluster_.types.begin(), cluster_.types.end(),
                      [&](const NodeType& type) { return type.uses(nic); }))
        return;
    place.fail("the fabric joins NICs of one index, and none is left that every node has");
  }

 private:
  struct Place {
    VertexKind kind = VertexKind::gpu;
    std::size_t node = 0;  ///< of a vertex of a node
    VertexId local;        ///< within the node; invalid for switches of the fabric
    VertexId global;
  };

  Place find(const json::Value& value) const {
    const std::string name(value.as_string());
    if (const auto found = switches_.find(name); found != switches_.end()) {
      const std::size_t nodes_end = topology_.vertex_count() - switches_.size();
      return {
          cluster_.fabric->vertex_kind(found->second), 0, {}, VertexId(nodes_end + found->second)};
    }
    const std::size_t guess = node_named(name);
    for (std::size_t n = 0; n < cluster_.nodes; ++n) {
      if (cluster_.prefix_names && n != guess) continue;
      const auto& vertices = topology_.node_type(n).graph.vertices;
      for (std::size_t v = 0; v < vertices.size(); ++v) {
        const VertexId global(first_vertex(n) + v);
        if (topology_.vertex_name(global) == name)
          return {vertices[v].kind, n, VertexId(v), global};
      }
    }
    std::vector<std::string> names;
    const std::size_t shown = guess < cluster_.nodes ? guess : 0;
    for (std::size_t v = 0; v < topology_.node_type(shown).graph.vertices.size(); ++v)
      names.push_back(topology_.vertex_name(VertexId(first_vertex(shown) + v)));
    for (const auto& entry : switches_)
      if (names.size() < 2000) names.push_back(entry.first);
    const std::vector<std::string_view> known(names.begin(), names.end());
    value.fail(unknown_name("vertex", name, known));
  }

  /// 3 of "node3.gpu5"; the number of nodes if there is none.
  std::size_t node_named(std::string_view name) const {
    std::size_t node = cluster_.nodes;
    if (!name.starts_with("node")) return node;
    const auto [end, error] = std::from_chars(name.data() + 4, name.data() + name.size(), node);
    const bool good = error == std::errc{} && end != name.data() + name.size() && *end == '.';
    return good ? node : cluster_.nodes;
  }

  std::size_t first_vertex(std::size_t node) const {
    return topology_.gpu_vertex(GpuId(topology_.gpus_before(node))).index() -
           topology_.node_type(node).gpus.front().index();
  }
  std::size_t first_link(std::size_t node) const {
    std::size_t first = 0;
    for (std::size_t n = 0; n < (cluster_.uniform() ? 0 : node); ++n)
      first += topology_.node_type(n).graph.links.size();
    return cluster_.uniform() ? node * topology_.node_type(0).graph.links.size() : first;
  }
  std::size_t fabric_link(std::size_t link) const {
    return topology_.link_count() - cluster_.fabric->link_count() + link;
  }

  /// The node's own type, split from its equals the first time.
  NodeType& own_type(std::size_t node) {
    std::size_t t = cluster_.uniform() ? 0 : node;
    if (cluster_.uniform() && cluster_.nodes > 1) {
      if (cluster_.type_of.empty()) cluster_.type_of.assign(cluster_.nodes, 0);
      if (cluster_.type_of[node] == 0) {
        cluster_.type_of[node] = static_cast<std::uint32_t>(cluster_.types.size());
        cluster_.types.push_back(NodeType(cluster_.types.front()));
      }
      t = cluster_.type_of[node];
    }
    if (std::find(changed_.begin(), changed_.end(), t) == changed_.end()) changed_.push_back(t);
    return cluster_.types[t];
  }

  void slow(std::size_t link, double rate) {
    cluster_.link_factor.try_emplace(static_cast<std::uint32_t>(link), 1.0).first->second *= rate;
  }

  /// Cables of the fabric that a vertex of it, or a NIC, is at.
  template <class Use>
  void each_cable(VertexId at, Use use) {
    for (std::size_t l = 0; l < cluster_.fabric->link_count(); ++l) {
      const Link link = topology_.link(LinkId(fabric_link(l)));
      if (link.from == at || link.to == at) use(fabric_link(l), link);
    }
  }

  void slow_all(const Place& place, double rate) {
    if (place.kind == VertexKind::nic)
      return each_cable(place.global, [&](std::size_t l, const Link&) { slow(l, rate); });
    const Graph& graph = topology_.node_type(place.node).graph;
    for (std::size_t l = 0; l < graph.links.size(); ++l)
      if (graph.links[l].from == place.local || graph.links[l].to == place.local)
        slow(first_link(place.node) + l, rate);
  }

  void break_nvlinks(const Place& place, const json::Value& value) {
    NodeType& type = own_type(place.node);
    type.rules.down.resize(type.graph.links.size(), 0);
    bool any = false;
    for (std::size_t l = 0; l < type.graph.links.size(); ++l) {
      const Link& link = type.graph.links[l];
      if (!is_gpu_link(link.kind) || (link.from != place.local && link.to != place.local)) continue;
      type.rules.down[l] = 1;
      any = true;
    }
    if (!any)
      value.fail(
          fmt::format("\"down\" takes the NVLinks of a GPU, and '{}' has none", value.as_string()));
  }

  void lose_nic(const Place& place, const json::Value& value) {
    NodeType& type = own_type(place.node);
    const auto lost = static_cast<std::size_t>(
        std::find(type.nics.begin(), type.nics.end(), place.local) - type.nics.begin());
    std::vector<std::size_t> rest;
    for (std::size_t nic = 0; nic < type.nics.size(); ++nic)
      if (type.uses(nic) && nic != lost) rest.push_back(nic);
    if (rest.empty()) value.fail(fmt::format("'{}' is the node's last NIC", value.as_string()));
    type.rules.nics = std::move(rest);
  }

  void read_link(const json::Value& value, double rate) {
    const std::vector<json::Value> ends = value.elements();
    if (ends.size() != 2) value.fail("a link is a pair of vertex names");
    const Place a = find(ends[0]), b = find(ends[1]);
    const auto between = [&](const Link& link, VertexId x, VertexId y) {
      return (link.from == x && link.to == y) || (link.from == y && link.to == x);
    };
    bool found = false;
    if (a.local.valid() && b.local.valid() && a.node == b.node) {
      std::vector<std::size_t> joining;  // ids; a node's type moves when it is split off
      const auto& links = topology_.node_type(a.node).graph.links;
      for (std::size_t l = 0; l < links.size(); ++l)
        if (between(links[l], a.local, b.local)) joining.push_back(l);
      found = !joining.empty();
      for (const std::size_t l : joining) {
        if (rate > 0) {
          slow(first_link(a.node) + l, rate);
        } else {
          NodeType& type = own_type(a.node);
          type.rules.down.resize(type.graph.links.size(), 0);
          type.rules.down[l] = 1;
        }
      }
    } else {
      each_cable(a.global, [&](std::size_t l, const Link& link) {
        if (!between(link, a.global, b.global)) return;
        found = true;
        if (rate > 0) slow(l, rate);
      });
      if (found && rate == 0) {
        if (a.kind == VertexKind::nic && !b.local.valid()) return lose_nic(a, ends[0]);
        if (b.kind == VertexKind::nic && !a.local.valid()) return lose_nic(b, ends[1]);
        value.fail(
            "a cable between switches cannot be taken away, for nothing routes around it: give a "
            "\"bandwidth_factor\", or write the graph without it");
      }
    }
    if (!found)
      value.fail(
          fmt::format("no link joins '{}' and '{}'", ends[0].as_string(), ends[1].as_string()));
  }

  Cluster& cluster_;
  ClusterTopology topology_;
  std::unordered_map<std::string, std::size_t> switches_;
  std::vector<std::size_t> changed_;
};

}  // namespace

void read_faults(const json::Value& value, Cluster& cluster) {
  FaultReader reader(cluster);
  json::Problems problems;
  for (const json::Value& fault : value.elements())
    problems.attempt([&] {
      reader.read(fault);
      ++cluster.faults;
    });
  problems.raise();
  reader.finish(value);
}

}  // namespace dsim
