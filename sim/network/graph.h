#pragma once
// A small graph held in memory: the inside of a node, or an explicit topology. Plain data.
#include <string>
#include <vector>

#include "sim/network/topology.h"

namespace dsim {

/// A vertex of a Graph, with the name a user gave it ("gpu0", "leaf1").
struct Vertex {
  VertexKind kind = VertexKind::gpu;
  std::string name;
};

/// Vertices and directed links; ids are indices. Every link has a twin in the other direction once
/// the graph is checked: `reverse[l]`.
struct Graph {
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  std::vector<LinkId> reverse;

  const Vertex& vertex(VertexId v) const { return vertices[v.index()]; }
  const Link& link(LinkId l) const { return links[l.index()]; }
};

}  // namespace dsim
