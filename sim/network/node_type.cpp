#include "sim/network/node_type.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/network/graph_search.h"
#include "sim/network/link_defaults.h"

namespace dsim {
namespace {

bool joins_gpus(const Graph& graph, const Link& link) {
  const auto end = [&](VertexId v) {
    return graph.vertex(v).kind == VertexKind::gpu || graph.vertex(v).kind == VertexKind::nvswitch;
  };
  return is_gpu_link(link.kind) && end(link.from) && end(link.to);
}

LocalPath local_path(const Graph& graph, std::vector<LinkId> links) {
  LocalPath path;
  path.nvlink_only = !links.empty();
  for (const LinkId l : links) {
    const Link& link = graph.link(l);
    path.latency += link.latency;
    path.nvlink_only = path.nvlink_only && joins_gpus(graph, link);
    path.crosses_cpu = path.crosses_cpu || graph.vertex(link.to).kind == VertexKind::cpu;
  }
  path.links = std::move(links);
  return path;
}

LocalPath turned(const Graph& graph, const LocalPath& path) {
  LocalPath result = path;
  std::reverse(result.links.begin(), result.links.end());
  for (LinkId& link : result.links) link = graph.reverse[link.index()];
  return result;
}

std::size_t gpus_between(const Graph& graph, const std::vector<LinkId>& links) {
  const auto arrives_at_gpu = [&](LinkId l) {
    return graph.vertex(graph.link(l).to).kind == VertexKind::gpu;
  };
  return static_cast<std::size_t>(std::count_if(links.begin(), links.end(), arrives_at_gpu)) - 1;
}

}  // namespace

bool NodeType::nvlink_among(std::size_t count) const {
  const bool any = std::any_of(graph.links.begin(), graph.links.end(),
                               [&](const Link& link) { return joins_gpus(graph, link); });
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

static std::string find_paths(NodeType& type) {
  const Graph& graph = type.graph;
  const std::size_t gpus = type.gpus.size(), nics = type.nics.size();
  type.gpu_paths.assign(gpus * gpus, {});
  type.nic_paths.assign(gpus * nics, {});
  for (std::size_t i = 0; i < gpus; ++i) {
    const VertexId source = type.gpus[i];
    const ShortestPaths over_nvlink(graph, source,
                                    [&](const Link& link) { return joins_gpus(graph, link); });
    const ShortestPaths over_pcie(graph, source, [&](const Link& link) {
      const VertexKind kind = graph.vertex(link.from).kind;
      const bool device = kind == VertexKind::gpu || kind == VertexKind::nic;
      return !joins_gpus(graph, link) && (!device || link.from == source);
    });
    // One direction is searched and the other is its mirror image: equal paths stay symmetric.
    for (std::size_t j = i + 1; j < gpus; ++j) {
      auto links = over_nvlink.to(type.gpus[j]);
      if (!links || gpus_between(graph, *links) > 1) {
        if (auto around = over_pcie.to(type.gpus[j])) links = std::move(around);
      }
      if (!links)
        return fmt::format(
            "'{}' reaches '{}' only through other GPUs or NICs, which pass nothing on",
            graph.vertex(source).name, graph.vertex(type.gpus[j]).name);
      type.gpu_paths[i * gpus + j] = local_path(graph, std::move(*links));
      type.gpu_paths[j * gpus + i] = turned(graph, type.gpu_paths[i * gpus + j]);
    }
    for (std::size_t n = 0; n < nics; ++n) {
      auto links = over_pcie.to(type.nics[n]);
      if (!links)
        return fmt::format(
            "'{}' reaches '{}' only through other GPUs or NICs, which pass nothing on",
            graph.vertex(source).name, graph.vertex(type.nics[n]).name);
      type.nic_paths[i * nics + n] = local_path(graph, std::move(*links));
    }
  }
  return {};
}

static void find_affinity(NodeType& type) {
  const std::size_t gpus = type.gpus.size(), nics = type.nics.size();
  std::vector<std::vector<std::size_t>> nearest(gpus);
  for (std::size_t g = 0; g < gpus; ++g) {
    std::size_t fewest = unreachable;
    for (std::size_t n = 0; n < nics; ++n)
      fewest = std::min(fewest, type.nic_path(g, n).links.size());
    for (std::size_t n = 0; n < nics; ++n)
      if (type.nic_path(g, n).links.size() == fewest) nearest[g].push_back(n);
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

std::string prepare(NodeType& type) {
  type.gpus.clear();
  type.nics.clear();
  type.has_nvswitch = false;
  for (std::size_t v = 0; v < type.graph.vertices.size(); ++v) {
    if (type.graph.vertices[v].kind == VertexKind::gpu) type.gpus.emplace_back(v);
    if (type.graph.vertices[v].kind == VertexKind::nic) type.nics.emplace_back(v);
    if (type.graph.vertices[v].kind == VertexKind::nvswitch) type.has_nvswitch = true;
  }
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
