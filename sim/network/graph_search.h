#pragma once
// Searches of a Graph: connected parts, shortest paths, hop counts, maximum flow.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sim/network/graph.h"

namespace dsim {

/// The connected parts (links taken as undirected), each in order of ids, the first vertex's first.
std::vector<std::vector<VertexId>> connected_parts(const Graph& graph);

/// Cheapest paths from one source over the links that `may_use` admits: fewest links, then least
/// latency, then largest bandwidth (least sum of 1/bandwidth), then lowest ids.
class ShortestPaths {
 public:
  ShortestPaths(const Graph& graph, VertexId source,
                const std::function<bool(const Link&)>& may_use);
  /// The links from the source to `target`; empty optional if unreachable.
  std::optional<std::vector<LinkId>> to(VertexId target) const;

 private:
  const Graph& graph_;
  VertexId source_;
  std::vector<LinkId> arriving_;  ///< last link of the path to each vertex; none if unreachable
};

/// Number of links from each vertex to `target`, along the links' direction; `unreachable` if none.
std::vector<std::uint32_t> hops_to(const Graph& graph, VertexId target);
constexpr std::uint32_t unreachable = 0xffffffffu;

/// Largest total rate from all of `sources` to all of `sinks` at once (maximum flow).
Bandwidth max_flow(const Graph& graph, std::span<const VertexId> sources,
                   std::span<const VertexId> sinks);

}  // namespace dsim
