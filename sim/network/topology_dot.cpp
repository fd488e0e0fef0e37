#include "sim/network/topology_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/base/error.h"
#include "sim/base/quantity.h"
#include "sim/network/cluster_topology.h"
#include "sim/network/link_defaults.h"

namespace dsim {
namespace {

constexpr std::size_t most_drawn = 2000;

std::string dot_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + '"';
}

/// Okabe-Ito colours, as in the other pictures: compute blue, network orange, switches green.
std::string_view style_of(VertexKind kind) {
  switch (kind) {
    case VertexKind::gpu:
      return "shape=box style=filled fillcolor=\"#0072B2\" fontcolor=white";
    case VertexKind::nic:
      return "shape=box style=filled fillcolor=\"#E69F00\"";
    case VertexKind::nvswitch:
      return "shape=ellipse style=filled fillcolor=\"#56B4E9\"";
    case VertexKind::leaf:
    case VertexKind::spine:
    case VertexKind::core:
      return "shape=ellipse style=filled fillcolor=\"#009E73\" fontcolor=white";
    default:
      return "shape=ellipse";
  }
}

/// Parallel cables between two vertices; `there` leads from the lower id to the higher.
struct Edge {
  std::size_t cables = 0;
  Link there, back;
};

std::string rate_of(const Link& link) {
  return is_network(link.kind) ? format_bandwidth_bits(link.bandwidth)
                               : format_bandwidth_bytes(link.bandwidth);
}

std::string label_of(const Edge& edge) {
  std::string label = edge.cables > 1 ? fmt::format("{} × ", edge.cables) : "";
  label += rate_of(edge.there);
  if (edge.back.bandwidth != edge.there.bandwidth) label += " / " + rate_of(edge.back);
  return label;
}

class DotWriter {
 public:
  explicit DotWriter(const ClusterTopology& topology)
      : topology_(topology),
        whole_(topology.vertex_count() <= most_drawn),
        drawn_(topology.vertex_count(), whole_) {
    const std::size_t first = topology.node_type(0).graph.vertices.size();
    for (std::size_t v = 0; v < first; ++v) drawn_[v] = 1;
    if (!whole_) choose_switches(first);
    collect_edges();
  }

  std::string write() const {
    std::string title = topology_.description();
    if (!whole_)
      title += fmt::format("\nthe first node and its switches; {} vertices in all",
                           topology_.vertex_count());
    std::string text = fmt::format(
        "graph topology {{\n  label={};\n  labelloc=t;\n  rankdir=BT;\n  node [fontsize=10];\n  "
        "edge [fontsize=8];\n",
        dot_string(title));
    std::size_t vertex = 0;
    for (std::size_t node = 0; node < (whole_ ? topology_.cluster().nodes : 1); ++node) {
      text += fmt::format("  subgraph cluster{} {{\n    label=\"node{}\";\n", node, node);
      const std::size_t end = vertex + topology_.node_type(node).graph.vertices.size();
      for (; vertex < end; ++vertex) text += "  " + line_of(vertex);
      text += "  }\n";
    }
    for (; vertex < drawn_.size(); ++vertex)
      if (drawn_[vertex]) text += line_of(vertex);
    for (const auto& [ends, edge] : edges_)
      text += fmt::format("  v{} -- v{} [label={}];\n", ends.first, ends.second,
                          dot_string(label_of(edge)));
    return text + "}\n";
  }

 private:
  /// The switches that the first node's NICs are cabled to.
  void choose_switches(std::size_t first) {
    for (std::size_t l = 0; l < topology_.link_count(); ++l) {
      const Link link = topology_.link(LinkId(l));
      if (link.from.index() < first && is_fabric_switch(topology_.vertex_kind(link.to)))
        drawn_[link.to.index()] = 1;
    }
  }
  void collect_edges() {
    for (std::size_t l = 0; l < topology_.link_count(); ++l) {
      const Link link = topology_.link(LinkId(l));
      if (!drawn_[link.from.index()] || !drawn_[link.to.index()]) continue;
      const bool there = link.from < link.to;
      Edge& edge = edges_[std::minmax(link.from.value, link.to.value)];
      edge.cables += there;
      (there ? edge.there : edge.back) = link;
    }
  }
  std::string line_of(std::size_t vertex) const {
    const VertexId id(vertex);
    return fmt::format("  v{} [label={} {}];\n", vertex, dot_string(topology_.vertex_name(id)),
                       style_of(topology_.vertex_kind(id)));
  }

  const ClusterTopology& topology_;
  bool whole_;
  std::vector<char> drawn_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Edge> edges_;
};

}  // namespace

std::string topology_dot(const Topology& topology) {
  const auto* cluster = dynamic_cast<const ClusterTopology*>(&topology);
  require(cluster != nullptr, "only topologies that were loaded or parsed are drawn");
  return DotWriter(*cluster).write();
}

}  // namespace dsim
