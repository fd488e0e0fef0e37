#include "model/simulate/representative_groups.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace dsim {

namespace {

using Group = std::vector<std::uint32_t>;
/// Everything about the ways round a group that its time depends on.
using Signature = std::vector<double>;

struct Survey {
  const Topology& topology;
  Routing routing;
  const std::vector<GpuId>& gpus;
  std::unordered_map<std::uint32_t, double> load{};  ///< by link: shares of all groups' hops

  std::vector<std::size_t> nodes_of(const Group& group) const {
    std::vector<std::size_t> nodes;
    for (const std::uint32_t rank : group) nodes.push_back(topology.node_of(gpus[rank]));
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  Signature walk(const Group& group) {
    Signature signature{static_cast<double>(group.size())};
    Route route;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const GpuId from = gpus[group[i]], to = gpus[group[(i + 1) % group.size()]];
      if (from == to) continue;
      topology.route(from, to, routing, {}, route);
      signature.push_back(static_cast<double>(topology.local_index(from)));
      signature.push_back(route.latency.seconds());
      signature.push_back(4.0 * route.staged + 2.0 * route.crosses_cpu + route.leaves_node);
      signature.push_back(route.connection_limit.bytes_per_second);
      double rates = 0;
      for (const LinkShare& share : route.links) {
        const Link link = topology.link(share.link);
        rates += share.share / link.bandwidth.bytes_per_second;
        load[share.link.value] += share.share;
      }
      signature.push_back(static_cast<double>(static_cast<float>(rates * 1e9)));
    }
    return signature;
  }

  /// Loads over rates: whether links that no NIC ends are ever the busiest.
  bool fabric_never_binds() const {
    double nic = 0, fabric = 0;
    for (const auto& [index, shares] : load) {
      const Link link = topology.link(LinkId{index});
      const VertexKind from = topology.vertex_kind(link.from), to = topology.vertex_kind(link.to);
      const auto inside = [](VertexKind kind) {
        return kind == VertexKind::leaf || kind == VertexKind::spine;
      };
      double& busiest = inside(from) && inside(to) ? fabric : nic;
      busiest = std::max(busiest, shares / link.bandwidth.bytes_per_second);
    }
    return fabric <= nic * (1 + 1e-9);
  }
};

}  // namespace

std::vector<Group> representative_groups(const Topology& topology, Routing routing,
                                         const std::vector<GpuId>& gpus,
                                         const std::vector<Group>& groups) {
  if (groups.size() == 1) return groups;
  Survey survey{topology, routing, gpus};
  std::map<Signature, std::vector<std::size_t>> alike;  // -> indices
  std::map<std::vector<std::size_t>, std::size_t> node_sets;
  std::map<std::size_t, const std::vector<std::size_t>*> set_of_node;
  bool disjoint = true, between_nodes = false;
  std::vector<const std::vector<std::size_t>*> set_of(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto entry = node_sets.try_emplace(survey.nodes_of(groups[i]), i).first;
    set_of[i] = &entry->first;
    between_nodes |= entry->first.size() > 1;
    for (const std::size_t node : entry->first)
      disjoint &= set_of_node.try_emplace(node, set_of[i]).first->second == set_of[i];
    alike[survey.walk(groups[i])].push_back(i);
  }
  if (!disjoint || (between_nodes && !survey.fabric_never_binds())) return groups;
  // Sets of nodes that hold groups of the same signatures are alike.
  std::map<const std::vector<std::size_t>*, std::vector<std::size_t>> kinds;
  std::size_t kind = 0;
  for (const auto& [signature, members] : alike) {
    for (const std::size_t i : members) kinds[set_of[i]].push_back(kind);
    ++kind;
  }
  std::map<std::vector<std::size_t>, const std::vector<std::size_t>*> first_of_kind;
  std::vector<Group> result;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (first_of_kind.try_emplace(kinds[set_of[i]], set_of[i]).first->second == set_of[i])
      result.push_back(groups[i]);
  return result;
}

}  // namespace dsim
