#include "sim/network/graph_search.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <cmath>

namespace dsim {
namespace {

// Lexicographic and additive, as Dijkstra's algorithm needs.
struct PathCost {
  std::uint32_t hops = 0;
  std::int64_t latency_ps = 0;
  double inverse_bandwidth = 0;
  auto operator<=>(const PathCost&) const = default;
};

constexpr std::uint32_t far_away = 0x3fffffffu;

PathCost operator+(const PathCost& a, const PathCost& b) {
  return {a.hops + b.hops, a.latency_ps + b.latency_ps, a.inverse_bandwidth + b.inverse_bandwidth};
}

struct Arc {
  PathCost cost;
  std::uint32_t link = LinkId::none;
};

using Arcs =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Arc>;
using Undirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

}  // namespace

std::vector<std::vector<VertexId>> connected_parts(const Graph& graph) {
  Undirected undirected(graph.vertices.size());
  for (const Link& link : graph.links)
    boost::add_edge(link.from.index(), link.to.index(), undirected);
  std::vector<std::size_t> part_of(graph.vertices.size());
  const std::size_t count =
      part_of.empty()
          ? 0
          : static_cast<std::size_t>(boost::connected_components(undirected, part_of.data()));
  std::vector<std::vector<VertexId>> parts(count);
  for (std::size_t v = 0; v < part_of.size(); ++v) parts[part_of[v]].push_back(VertexId(v));
  return parts;
}

ShortestPaths::ShortestPaths(const Graph& graph, VertexId source,
                             const std::function<bool(const Link&)>& may_use)
    : graph_(graph), source_(source), arriving_(graph.vertices.size()) {
  Arcs arcs(graph.vertices.size());
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const Link& link = graph.links[l];
    if (may_use(link))
      boost::add_edge(link.from.index(), link.to.index(),
                      Arc{{1, link.latency.ps, 1.0 / link.bandwidth.bytes_per_second},
                          static_cast<std::uint32_t>(l)},
                      arcs);
  }
  std::vector<PathCost> cost(graph.vertices.size());
  std::vector<std::size_t> previous(graph.vertices.size());
  boost::dijkstra_shortest_paths(arcs, source.index(),
                                 boost::weight_map(boost::get(&Arc::cost, arcs))
                                     .distance_map(boost::make_iterator_property_map(
                                         cost.begin(), boost::get(boost::vertex_index, arcs)))
                                     .predecessor_map(boost::make_iterator_property_map(
                                         previous.begin(), boost::get(boost::vertex_index, arcs)))
                                     .distance_compare(std::less<PathCost>())
                                     .distance_combine(std::plus<PathCost>())
                                     .distance_inf(PathCost{far_away, 0, 0})
                                     .distance_zero(PathCost{}));
  // Among parallel links and equal predecessors the lowest id counts, so that paths do not depend
  // on the order in which the queue was emptied.
  for (std::size_t l = graph.links.size(); l-- > 0;) {
    const Link& link = graph.links[l];
    if (link.to == source || !may_use(link) || cost[link.from.index()].hops >= far_away) continue;
    const PathCost through = cost[link.from.index()] +
                             PathCost{1, link.latency.ps, 1.0 / link.bandwidth.bytes_per_second};
    const PathCost& best = cost[link.to.index()];
    const bool equal = through.hops == best.hops && through.latency_ps == best.latency_ps &&
                       std::abs(through.inverse_bandwidth - best.inverse_bandwidth) <=
                           1e-9 * best.inverse_bandwidth;
    if (equal) arriving_[link.to.index()] = LinkId(l);
  }
}

std::optional<std::vector<LinkId>> ShortestPaths::to(VertexId target) const {
  std::vector<LinkId> path;
  for (VertexId at = target; at != source_; at = graph_.link(path.back()).from) {
    if (!arriving_[at.index()].valid()) return std::nullopt;
    path.push_back(arriving_[at.index()]);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<std::uint32_t> hops_to(const Graph& graph, VertexId target) {
  Arcs backwards(graph.vertices.size());
  for (const Link& link : graph.links)
    boost::add_edge(link.to.index(), link.from.index(), backwards);
  std::vector<std::uint32_t> hops(graph.vertices.size(), unreachable);
  hops[target.index()] = 0;
  boost::breadth_first_search(backwards, target.index(),
                              boost::visitor(boost::make_bfs_visitor(
                                  boost::record_distances(hops.data(), boost::on_tree_edge()))));
  return hops;
}

namespace {

using FlowTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
struct FlowArc {
  double capacity = 0, residual = 0;
  FlowTraits::edge_descriptor reverse;
};
struct FlowVertex {
  FlowTraits::edge_descriptor predecessor;
  boost::default_color_type color = boost::white_color;
  double distance = 0;
};
using FlowGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, FlowVertex, FlowArc>;

void add_arc(FlowGraph& flow, std::size_t from, std::size_t to, double capacity) {
  const auto forward = boost::add_edge(from, to, flow).first;
  const auto backward = boost::add_edge(to, from, flow).first;
  flow[forward] = {capacity, 0, backward};
  flow[backward] = {0, 0, forward};
}

}  // namespace

Bandwidth max_flow(const Graph& graph, std::span<const VertexId> sources,
                   std::span<const VertexId> sinks) {
  // Rates are kept in GB/s so that sums of whole gigabytes stay exact in doubles.
  const std::size_t source = graph.vertices.size(), sink = source + 1;
  FlowGraph flow(sink + 1);
  double total = 0;
  for (const Link& link : graph.links) {
    add_arc(flow, link.from.index(), link.to.index(), link.bandwidth.bytes_per_second * 1e-9);
    total += link.bandwidth.bytes_per_second * 1e-9;
  }
  for (const VertexId v : sources) add_arc(flow, source, v.index(), total);
  for (const VertexId v : sinks) add_arc(flow, v.index(), sink, total);
  const double gigabytes = boost::boykov_kolmogorov_max_flow(
      flow, boost::get(&FlowArc::capacity, flow), boost::get(&FlowArc::residual, flow),
      boost::get(&FlowArc::reverse, flow), boost::get(&FlowVertex::predecessor, flow),
      boost::get(&FlowVertex::color, flow), boost::get(&FlowVertex::distance, flow),
      boost::get(boost::vertex_index, flow), source, sink);
  return Bandwidth{gigabytes * 1e9};
}

}  // namespace dsim
