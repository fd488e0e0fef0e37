#include "sim/network/fabrics/switch_flow.h"

#include "sim/network/graph_search.h"

namespace dsim::fabrics {

Bandwidth switch_flow(const std::vector<std::pair<std::size_t, std::size_t>>& below,
                      Bandwidth port_rate, std::vector<Link> trunks) {
  Graph graph;
  const VertexId source(below.size()), sink(below.size() + 1);
  graph.vertices.resize(below.size() + 2);
  graph.links = std::move(trunks);
  for (std::size_t s = 0; s < below.size(); ++s) {
    const auto [sources, sinks] = below[s];
    const auto rate = [&](std::size_t ports) {
      return Bandwidth{static_cast<double>(ports) * port_rate.bytes_per_second};
    };
    if (sources > 0) graph.links.push_back({source, VertexId(s), rate(sources), {}, {}});
    if (sinks > 0) graph.links.push_back({VertexId(s), sink, rate(sinks), {}, {}});
  }
  return max_flow(graph, std::vector{source}, std::vector{sink});
}

}  // namespace dsim::fabrics
