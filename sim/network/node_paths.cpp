// Ways inside a machine: over NVLink, over PCIe, through host memory.
#include "sim/network/node_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/network/graph_search.h"

namespace dsim {
namespace {

using Links = std::vector<LinkId>;

bool joins_gpus(const Graph& graph, const Link& link) {
  const auto end = [&](VertexId v) {
    return graph.vertex(v).kind == VertexKind::gpu || graph.vertex(v).kind == VertexKind::nvswitch;
  };
  return is_gpu_link(link.kind) && end(link.from) && end(link.to);
}

/// The class of a way, link by link as NCCL does (NVIDIA/nccl 5067397c src/graph/paths.cc).
PathClass class_of(const Graph& graph, const Links& links) {
  PathClass result = PathClass::loc;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = graph.link(links[i]);
    const VertexKind from = graph.vertex(link.from).kind, to = graph.vertex(link.to).kind;
    const bool at_cpu = from == VertexKind::cpu || to == VertexKind::cpu;
    PathClass step = PathClass::pix;
    if (link.kind == LinkKind::socket)
      step = PathClass::sys;
    else if (link.kind == LinkKind::c2c)
      step = PathClass::c2c;
    else if (is_gpu_link(link.kind) && at_cpu)
      step = PathClass::c2c;
    else if (is_gpu_link(link.kind))
      step = PathClass::nvl;
    else if (at_cpu)
      step = PathClass::phb;
    else if (from == VertexKind::pcie_switch && to == VertexKind::pcie_switch)
      step = PathClass::pxb;
    if (i > 0 && from == VertexKind::gpu && step == PathClass::nvl) step = PathClass::nvb;
    result = std::max(result, step);
  }
  // A GPU on its CPU by C2C, and a NIC below that CPU.
  const bool starts_c2c = !links.empty() && graph.link(links.front()).kind == LinkKind::c2c;
  if (starts_c2c && result == PathClass::phb) result = PathClass::p2c;
  return result;
}

LocalPath local_path(const Graph& graph, Links links) {
  LocalPath path;
  path.nvlink_only = !links.empty();
  path.path_class = class_of(graph, links);
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

std::size_t gpus_between(const Graph& graph, const Links& links) {
  const auto arrives_at_gpu = [&](LinkId l) {
    return graph.vertex(graph.link(l).to).kind == VertexKind::gpu;
  };
  return static_cast<std::size_t>(std::count_if(links.begin(), links.end(), arrives_at_gpu)) - 1;
}

/// Searches over PCIe, C2C and sockets; GPUs and NICs pass nothing on.
class HostSide {
 public:
  explicit HostSide(const NodeType& type) : type_(type) {}

  ShortestPaths from(VertexId source) const {
    const Graph& graph = type_.graph;
    return ShortestPaths(graph, source, [&, source](const Link& link) {
      const VertexKind kind = graph.vertex(link.from).kind;
      const bool device = kind == VertexKind::gpu || kind == VertexKind::nic;
      return open(link) && !joins_gpus(graph, link) && (!device || link.from == source);
    });
  }
  bool open(const Link& link) const {
    return type_.open(LinkId(static_cast<std::size_t>(&link - type_.graph.links.data())));
  }
  /// The way from a device to the CPU nearest to it; none if no CPU is reached.
  std::optional<Links> to_host(VertexId device) const {
    const ShortestPaths paths = from(device);
    std::optional<Links> best;
    for (std::size_t v = 0; v < type_.graph.vertices.size(); ++v) {
      if (type_.graph.vertices[v].kind != VertexKind::cpu) continue;
      auto links = paths.to(VertexId(v));
      if (links && (!best || links->size() < best->size())) best = std::move(links);
    }
    return best;
  }
  /// From one device through the host memory of its CPU, and that of the other's, to the other.
  std::optional<Links> through_host(VertexId device, VertexId other) const {
    auto up = to_host(device), down = to_host(other);
    if (!up || !down) return std::nullopt;
    const Graph& graph = type_.graph;
    const VertexId here = graph.link(up->back()).to, there = graph.link(down->back()).to;
    if (here != there) {
      const auto across = from(here).to(there);
      if (!across) return std::nullopt;
      up->insert(up->end(), across->begin(), across->end());
    }
    for (auto l = down->rbegin(); l != down->rend(); ++l) up->push_back(graph.reverse[l->index()]);
    return up;
  }

 private:
  const NodeType& type_;
};

std::string cut_off(const Graph& graph, VertexId from, VertexId to) {
  return fmt::format("'{}' reaches '{}' only through other GPUs or NICs, which pass nothing on",
                     graph.vertex(from).name, graph.vertex(to).name);
}

/// The way, or the one through host memory where it is of a class beyond `most`.
LocalPath allowed(const NodeType& type, const HostSide& host, VertexId from, VertexId to,
                  Links links, PathClass most) {
  LocalPath path = local_path(type.graph, std::move(links));
  if (path.path_class <= most) return path;
  if (!path.crosses_cpu)
    if (auto around = host.through_host(from, to))
      path = local_path(type.graph, std::move(*around));
  path.staged = true;
  path.path_class = std::max(path.path_class, PathClass::phb);
  return path;
}

/// Where nothing but NVLink leads towards a NIC (other trays of an NVL72), the way goes through the
/// nearest GPU on the NIC's side.
std::string join_far_nics(NodeType& type) {
  const std::size_t gpus = type.gpus.size(), nics = type.nics.size();
  std::vector<char> own(gpus * nics);
  for (std::size_t p = 0; p < own.size(); ++p) own[p] = !type.nic_paths[p].links.empty();
  for (std::size_t i = 0; i < gpus; ++i)
    for (std::size_t n = 0; n < nics; ++n) {
      if (own[i * nics + n]) continue;
      std::size_t relay = gpus;
      for (std::size_t g = 0; g < gpus; ++g)
        if (own[g * nics + n] && type.gpu_path(i, g).nvlink_only &&
            (relay == gpus || type.nic_distance(g, n) < type.nic_distance(relay, n)))
          relay = g;
      if (relay == gpus) return cut_off(type.graph, type.gpus[i], type.nics[n]);
      const LocalPath& first = type.gpu_path(i, relay);
      LocalPath& path = type.nic_paths[i * nics + n];
      path = type.nic_path(relay, n);
      path.links.insert(path.links.begin(), first.links.begin(), first.links.end());
      path.latency += first.latency;
      path.path_class = std::max(path.path_class, PathClass::pxn);
      type.nic_distances[i * nics + n] = path.links.size();
    }
  return {};
}

}  // namespace

std::string find_paths(NodeType& type) {
  const Graph& graph = type.graph;
  const HostSide host(type);
  const PathClass p2p = std::min(type.rules.p2p, type.most_p2p);
  const PathClass gdr = type.gpudirect ? type.rules.gdr : PathClass::loc;
  const std::size_t gpus = type.gpus.size(), nics = type.nics.size();
  type.gpu_paths.assign(gpus * gpus, {});
  type.nic_paths.assign(gpus * nics, {});
  type.nic_distances.assign(gpus * nics, 0);
  for (std::size_t i = 0; i < gpus; ++i) {
    const VertexId source = type.gpus[i];
    const ShortestPaths over_nvlink(graph, source, [&](const Link& link) {
      return host.open(link) && joins_gpus(graph, link);
    });
    const ShortestPaths over_pcie = host.from(source);
    // One direction is searched and the other is its mirror image: equal paths stay symmetric.
    for (std::size_t j = i + 1; j < gpus; ++j) {
      auto links = over_nvlink.to(type.gpus[j]);
      if (!links || gpus_between(graph, *links) > 1) {
        if (auto around = over_pcie.to(type.gpus[j])) links = std::move(around);
      }
      if (!links) return cut_off(graph, source, type.gpus[j]);
      LocalPath& path = type.gpu_paths[i * gpus + j];
      path = allowed(type, host, source, type.gpus[j], std::move(*links), p2p);
      type.gpu_paths[j * gpus + i] = turned(graph, path);
    }
    for (std::size_t n = 0; n < nics; ++n) {
      auto links = over_pcie.to(type.nics[n]);
      if (!links) continue;
      type.nic_distances[i * nics + n] = links->size();
      type.nic_paths[i * nics + n] =
          allowed(type, host, source, type.nics[n], std::move(*links), gdr);
    }
  }
  return join_far_nics(type);
}

}  // namespace dsim
