#pragma once
// A fabric written down cable by cable.
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "sim/network/fabric.h"

namespace dsim::fabrics {

/// Ports are the first vertices of its graph, switches follow. A route takes the fewest cables;
/// where several next cables are equally short, spray splits evenly over them and hash takes one.
class ExplicitGraph : public Fabric {
 public:
  ExplicitGraph(Graph graph, std::size_t ports);

  std::string description() const override { return "explicit graph"; }
  std::size_t vertex_count() const override { return graph_.vertices.size() - ports_; }
  VertexKind vertex_kind(std::size_t index) const override {
    return graph_.vertices[ports_ + index].kind;
  }
  std::string vertex_name(std::size_t index) const override {
    return graph_.vertices[ports_ + index].name;
  }
  std::size_t link_count() const override { return graph_.links.size(); }
  Cable cable(std::size_t link) const override;
  bool reaches(std::size_t from, std::size_t to) const override;
  void append_route(std::size_t from, std::size_t to, PathChoice choice, std::uint32_t first_link,
                    Route& out) const override;
  Bandwidth rate_between(std::size_t middle, std::size_t end) const override;

 private:
  using Hops = std::shared_ptr<const std::vector<std::uint32_t>>;
  /// Cables from every vertex to a port, searched once and kept.
  Hops hops_towards(std::size_t port) const;

  Graph graph_;
  std::size_t ports_;
  std::vector<std::uint32_t> first_leaving_;  ///< of each vertex, into leaving_
  std::vector<LinkId> leaving_;
  mutable std::mutex mutex_;  ///< guards kept_
  mutable std::unordered_map<std::size_t, Hops> kept_;
};

}  // namespace dsim::fabrics
