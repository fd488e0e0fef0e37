#include "sim/network/node_type.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/network/graph_search.h"
#include "sim/network/node_paths.h"

namespace dsim {

bool NodeType::nvlink_among(std::size_t count) const {
  const auto some = [](const auto& counts) {
    return std::any_of(counts.begin(), counts.end(), [](std::uint32_t n) { return n > 0; });
  };
  const bool any = some(nvlinks) || some(nvswitch_links);
  for (std::size_t i = 0; any && i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      if (i != j && !gpu_path(i, j).nvlink_only) return false;
  return any;
}

std::size_t NodeType::relay_to(std::size_t from, std::size_t nic, std::size_t alike) const {
  const auto uses = [&](std::size_t gpu) {
    return std::find(nics_of[gpu].begin(), nics_of[gpu].end(), nic) != nics_of[gpu].end();
  };
  if (uses(from)) return from;
  std::size_t best = from;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    if (!uses(gpu) || !gpu_path(from, gpu).nvlink_only) continue;
    const auto rank = [&](std::size_t g) {
      return std::pair(gpu_path(from, g).links.size(), g != alike);
    };
    if (best == from || rank(gpu) < rank(best)) best = gpu;
  }
  return best;
}

bool NodeType::uses(std::size_t nic) const {
  return nic < nics.size() && (rules.nics.empty() || std::find(rules.nics.begin(), rules.nics.end(),
                                                               nic) != rules.nics.end());
}

static void find_affinity(NodeType& type) {
  const std::size_t gpus = type.gpus.size(), nics = type.nics.size();
  std::vector<std::vector<std::size_t>> nearest(gpus);
  for (std::size_t g = 0; g < gpus; ++g) {
    std::size_t fewest = unreachable;
    for (std::size_t n = 0; n < nics; ++n)
      if (type.uses(n)) fewest = std::min(fewest, type.nic_distance(g, n));
    for (std::size_t n = 0; n < nics; ++n)
      if (type.uses(n) && type.nic_distance(g, n) == fewest) nearest[g].push_back(n);
  }
  type.nics_of.assign(gpus, {});
  for (std::size_t g = 0; g < gpus && nics > 0; ++g) {
    std::size_t sharers = 0, before = 0;
    for (std::size_t other = 0; other < gpus; ++other)
      if (nearest[other] == nearest[g]) {
        ++sharers;
        before += other < g;
      }
    const std::size_t shared = nearest[g].size();
    const std::size_t first = before * shared / sharers;
    const std::size_t last = std::max(first + 1, (before + 1) * shared / sharers);
    type.nics_of[g].assign(nearest[g].begin() + static_cast<std::ptrdiff_t>(first),
                           nearest[g].begin() + static_cast<std::ptrdiff_t>(last));
  }
}

static void count_nvlinks(NodeType& type) {
  const std::size_t gpus = type.gpus.size();
  std::vector<std::size_t> index(type.graph.vertices.size(), gpus);
  for (std::size_t g = 0; g < gpus; ++g) index[type.gpus[g].index()] = g;
  type.nvlinks.assign(gpus * gpus, 0);
  type.nvswitch_links.assign(gpus, 0);
  for (std::size_t l = 0; l < type.graph.links.size(); ++l) {
    const Link& link = type.graph.links[l];
    const std::size_t from = index[link.from.index()], to = index[link.to.index()];
    if (!is_gpu_link(link.kind) || from == gpus || !type.open(LinkId(l))) continue;
    if (to < gpus) type.nvlinks[from * gpus + to] += link.links;
    if (type.graph.vertex(link.to).kind == VertexKind::nvswitch)
      type.nvswitch_links[from] += link.links;
  }
  type.has_nvswitch = std::any_of(type.nvswitch_links.begin(), type.nvswitch_links.end(),
                                  [](std::uint32_t n) { return n > 0; });
}

std::string prepare(NodeType& type) {
  type.gpus.clear();
  type.nics.clear();
  for (std::size_t v = 0; v < type.graph.vertices.size(); ++v) {
    if (type.graph.vertices[v].kind == VertexKind::gpu) type.gpus.emplace_back(v);
    if (type.graph.vertices[v].kind == VertexKind::nic) type.nics.emplace_back(v);
  }
  count_nvlinks(type);
  std::string fault = find_paths(type);
  if (fault.empty()) find_affinity(type);
  return fault;
}

void keep_nics(NodeType& type, std::size_t count) {
  std::vector<VertexId> slots;
  for (std::size_t v = 0; v < type.graph.vertices.size(); ++v)
    if (type.graph.vertices[v].kind == VertexKind::nic) slots.emplace_back(v);
  require(count >= 1 && count <= slots.size(), "a node keeps between one and all of its NICs");
  std::vector<char> kept(type.graph.vertices.size(), 1);
  for (const VertexId slot : slots) kept[slot.index()] = 0;
  for (std::size_t i = 0; i < count; ++i) kept[slots[i * slots.size() / count].index()] = 1;

  Graph graph;
  std::vector<VertexId> renamed(kept.size());
  std::size_t nics = 0;
  for (std::size_t v = 0; v < kept.size(); ++v) {
    if (!kept[v]) continue;
    renamed[v] = VertexId(graph.vertices.size());
    graph.vertices.push_back(type.graph.vertices[v]);
    if (graph.vertices.back().kind == VertexKind::nic && count < slots.size())
      graph.vertices.back().name = "nic" + std::to_string(nics++);
  }
  std::vector<LinkId> renumbered(type.graph.links.size());
  for (std::size_t l = 0; l < type.graph.links.size(); ++l) {
    Link link = type.graph.links[l];
    if (!kept[link.from.index()] || !kept[link.to.index()]) continue;
    link.from = renamed[link.from.index()];
    link.to = renamed[link.to.index()];
    renumbered[l] = LinkId(graph.links.size());
    graph.links.push_back(link);
  }
  graph.reverse.resize(graph.links.size());
  for (std::size_t l = 0; l < renumbered.size(); ++l)
    if (renumbered[l].valid())
      graph.reverse[renumbered[l].index()] = renumbered[type.graph.reverse[l].index()];
  type.graph = std::move(graph);
}

}  // namespace dsim
