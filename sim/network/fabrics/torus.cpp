// Nodes in a 2-D or 3-D torus without switches (or a torus of any number of dimensions): in each
// dimension NIC i of a node is cabled to NIC i of its two neighbours, the last to the first; NICs
// pass on what is not for their own node. Dimensions are travelled in order, each the shorter way
// round.
//
//   node0 == node1 == node2 ==(0)      dimensions [3, 2]: x is the first and varies fastest;
//     ||       ||       ||             a dimension of two has one cable, not two
//   node3 == node4 == node5 ==(3)
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/network/fabric.h"
#include "sim/network/graph_search.h"

namespace dsim::fabrics {
namespace {

class Torus : public Fabric {
 public:
  Torus(const FabricSite& site, std::vector<std::size_t> sizes)
      : nodes_(site.nodes), nics_(site.nics_per_node), nic_(site.nic), sizes_(std::move(sizes)) {
    for (const std::size_t size : sizes_) {
      strides_.push_back(strides_.empty() ? 1 : strides_.back() * sizes_[strides_.size() - 1]);
      first_.push_back(cables_);
      cables_ += size > 2 ? nodes_ : size == 2 ? nodes_ / 2 : 0;
    }
  }

  std::string description() const override {
    std::string text;
    for (const std::size_t size : sizes_)
      text += fmt::format("{}{}", text.empty() ? "" : " × ", size);
    return text + " torus of nodes";
  }
  std::size_t vertex_count() const override { return 0; }
  VertexKind vertex_kind(std::size_t) const override { return {}; }
  std::string vertex_name(std::size_t) const override { return {}; }
  std::size_t link_count() const override { return 2 * cables_ * nics_; }
  Cable cable(std::size_t link) const override {
    const std::size_t index = link / 2 / nics_, rail = link / 2 % nics_;
    const auto [here, next] = ends(index);
    const bool onward = link % 2 == 0;
    return {{true, (onward ? here : next) * nics_ + rail},
            {true, (onward ? next : here) * nics_ + rail},
            nic_.bandwidth,
            nic_.latency,
            nic_.kind};
  }
  bool reaches(std::size_t from, std::size_t to) const override {
    return from % nics_ == to % nics_;
  }

  void append_route(std::size_t from, std::size_t to, PathChoice choice, std::uint32_t first_link,
                    Route& out) const override {
    require(reaches(from, to), "a torus joins NICs of one index");
    std::size_t at = from / nics_, hops = 0;
    const std::size_t target = to / nics_, rail = from % nics_;
    std::uint64_t hash = choice.hash;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const std::size_t size = sizes_[d];
      const std::size_t onward = (coordinate(target, d) + size - coordinate(at, d)) % size;
      const std::size_t back = (size - onward) % size;
      const bool two_ways = onward == back && size > 2 && onward > 0;
      const double share = two_ways && choice.spray ? 0.5 : 1.0;
      const bool take_onward = two_ways ? choice.spray || hash % 2 == 0 : onward <= back;
      const bool take_back = two_ways ? choice.spray || hash % 2 == 1 : onward > back;
      if (two_ways) hash /= 2;
      const auto walk = [&](std::size_t steps, bool forward) {
        std::size_t node = at;
        for (std::size_t s = 0; s < steps; ++s) {
          const std::size_t next = moved(node, d, forward ? 1 : size - 1);
          const std::size_t cable = size == 2 ? pair_index(node, d) : forward ? node : next;
          const std::size_t back_bit = size == 2 ? coordinate(node, d) : forward ? 0 : 1;
          out.links.push_back(
              {LinkId(first_link + 2 * ((first_[d] + cable) * nics_ + rail) + back_bit), share});
          node = next;
        }
      };
      if (take_onward) walk(onward, true);
      if (take_back) walk(back, false);
      hops += std::min(onward, back);
      at = moved(at, d, onward);
    }
    out.latency += static_cast<std::int64_t>(hops) * nic_.latency;
  }

  // Every rail is alike. If all nodes are sources or sinks, the cut between them is the one there
  // is; else a maximum flow over the nodes of one rail.
  Bandwidth rate_between(std::size_t middle, std::size_t end) const override {
    const std::size_t split = middle / nics_, last = end / nics_;
    Graph graph;
    graph.vertices.resize(nodes_);
    std::size_t cut = 0;
    for (std::size_t c = 0; c < cables_; ++c) {
      const auto [here, next] = ends(c);
      cut += (here < split) != (next < split);
      if (last == nodes_) continue;
      graph.links.push_back({VertexId(here), VertexId(next), nic_.bandwidth, {}, nic_.kind});
      graph.links.push_back({VertexId(next), VertexId(here), nic_.bandwidth, {}, nic_.kind});
    }
    if (last == nodes_) return {static_cast<double>(cut * nics_) * nic_.bandwidth.bytes_per_second};
    std::vector<VertexId> sources, sinks;
    for (std::size_t n = 0; n < last; ++n) (n < split ? sources : sinks).emplace_back(n);
    return {static_cast<double>(nics_) * max_flow(graph, sources, sinks).bytes_per_second};
  }

 private:
  std::size_t coordinate(std::size_t node, std::size_t d) const {
    return node / strides_[d] % sizes_[d];
  }
  std::size_t moved(std::size_t node, std::size_t d, std::size_t steps) const {
    const std::size_t old = coordinate(node, d);
    return node - old * strides_[d] + (old + steps) % sizes_[d] * strides_[d];
  }
  /// Number of a node's pair in a dimension of two.
  std::size_t pair_index(std::size_t node, std::size_t d) const {
    return node / (2 * strides_[d]) * strides_[d] + node % strides_[d];
  }
  /// The nodes a cable joins, in the order of the dimension.
  std::pair<std::size_t, std::size_t> ends(std::size_t cable) const {
    std::size_t d = 0;
    while (d + 1 < sizes_.size() && cable >= first_[d + 1]) ++d;
    std::size_t here = cable - first_[d];
    if (sizes_[d] == 2) here = here / strides_[d] * 2 * strides_[d] + here % strides_[d];
    return {here, moved(here, d, 1)};
  }

  std::size_t nodes_, nics_;
  NicSpec nic_;
  std::vector<std::size_t> sizes_, strides_, first_;  ///< by dimension
  std::size_t cables_ = 0;                            ///< of one rail
};

std::unique_ptr<Fabric> build(json::ObjectReader& spec, const json::Value&,
                              const FabricSite& site) {
  const json::Value value = spec.at("dimensions");
  std::vector<std::size_t> sizes;
  std::size_t product = 1;
  for (const json::Value& size : value.elements()) {
    sizes.push_back(static_cast<std::size_t>(size.as_integer(1, 1'000'000)));
    product *= sizes.back();
    if (product > 1'000'000) value.fail("a torus of more than 1000000 nodes");
  }
  if (sizes.size() < 2 || sizes.size() > 6)
    value.fail(fmt::format("a torus has 2 to 6 dimensions, here {}", sizes.size()));
  if (product != site.nodes)
    value.fail(
        fmt::format("the dimensions make {} nodes; the cluster has {}", product, site.nodes));
  return std::make_unique<Torus>(site, std::move(sizes));
}

}  // namespace

extern const FabricKind torus;
const FabricKind torus{"torus", "nodes cabled NIC to NIC in a 2-D or 3-D torus, without switches",
                       build};

}  // namespace dsim::fabrics
