#pragma once
// What every route of every topology must be: a flow of one unit from one GPU to another.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "sim/network/topology.h"

namespace dsim::tests {

/// Shares are a unit flow: what enters a vertex leaves it, but for the two ends.
inline void check_unit_flow(const Topology& topology, GpuId from, GpuId to, const Route& route) {
  std::map<VertexId, double> surplus;
  for (const LinkShare& part : route.links) {
    REQUIRE(part.link.index() < topology.link_count());
    REQUIRE(part.share > 0);
    REQUIRE(part.share <= 1 + 1e-12);
    const Link link = topology.link(part.link);
    surplus[link.from] -= part.share;
    surplus[link.to] += part.share;
  }
  for (const auto& [vertex, amount] : surplus) {
    const double expected = vertex == topology.gpu_vertex(from) ? -1
                            : vertex == topology.gpu_vertex(to) ? 1
                                                                : 0;
    INFO(topology.vertex_name(vertex) << " on the way from " << from.value << " to " << to.value);
    REQUIRE(std::abs(amount - expected) < 1e-9);
  }
  REQUIRE(surplus.count(topology.gpu_vertex(from)) == 1);
  REQUIRE(surplus.count(topology.gpu_vertex(to)) == 1);
}

/// Switches a route passes if it is one path: vertices of fabric kinds that it enters.
inline int switches_entered(const Topology& topology, const Route& route) {
  double count = 0;
  for (const LinkShare& part : route.links) {
    const VertexKind kind = topology.vertex_kind(topology.link(part.link).to);
    if (kind == VertexKind::leaf || kind == VertexKind::spine || kind == VertexKind::core)
      count += part.share;
  }
  return static_cast<int>(std::lround(count));
}

/// The latency of a route by its links: each counts by its share, as equal paths are equally long.
inline double latency_by_links(const Topology& topology, const Route& route) {
  double seconds = 0;
  for (const LinkShare& part : route.links)
    seconds += part.share * topology.link(part.link).latency.seconds();
  return seconds;
}

inline Route route_between(const Topology& topology, int from, int to, Routing routing,
                           RouteKey key = {}) {
  Route route;
  topology.route(GpuId(from), GpuId(to), routing, key, route);
  return route;
}

}  // namespace dsim::tests
