#pragma once
// Reads the "vertices" and "links" of a node type or of an explicit topology.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/base/json.h"
#include "sim/network/graph.h"

namespace dsim {

/// Builds a Graph from a file; every fault found goes to `problems`, at its own position.
class GraphReader {
 public:
  /// `fabric`: leaves, spines, cores and network links may occur.
  GraphReader(json::Problems& problems, bool fabric) : problems_(problems), fabric_(fabric) {}

  /// {"gpu": 8, "leaf": ["l0", "l1"]}: a count names them gpu0, gpu1... Throws all its faults,
  /// because nothing that mentions vertices can be read after them.
  void read_vertices(const json::Value& value);
  /// [{"kind", "bandwidth", "links", "latency", "label", "between": [["a", "b", 2], ...]}, ...];
  /// "one_way" instead of "between" for single directions, which must come in pairs. The bandwidth
  /// is that of one link; "links" says how many are parallel where a pair does not.
  void read_links(const json::Value& value);

  /// The vertex a string names; fails at the value with the nearest name.
  VertexId vertex(const json::Value& name) const;
  /// What joins GPUs, for people: the label of the NVLinks at a GPU, or of its other links
  /// ("" if none).
  const std::string& gpu_links() const { return gpu_links_; }
  Graph& graph() { return graph_; }
  /// Where a link was written.
  const json::Value& place(LinkId link) const { return places_[link.index()]; }

 private:
  struct Group;
  void add_vertex(VertexKind kind, std::string name, const json::Value& place);
  void read_group(const json::Value& value);
  void read_pair(const Group& group, const json::Value& pair);
  void add_link(const Link& link, const json::Value& place, bool both_ways);
  void match_one_way_links();

  json::Problems& problems_;
  bool fabric_;
  Graph graph_;
  std::string gpu_links_;
  std::unordered_map<std::string, VertexId> named_;
  std::unordered_map<std::uint64_t, LinkId> joined_;  ///< by (from, to)
  std::vector<json::Value> places_;                   ///< of each link
  std::vector<LinkId> one_way_;
};

/// Fails at `place` unless the graph is connected; the message names vertices of both sides.
void check_connected(const Graph& graph, std::string_view what, const json::Value& place);

}  // namespace dsim
