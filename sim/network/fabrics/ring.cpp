// Nodes in a ring without switches: NIC i of a node (two ports) is cabled to NIC i of the next and
// the previous node, and passes on what is not for its own node.
//
//   node0 ==== node1 ==== node2 ==== node3     one ring for each NIC index;
//     \\____________________________//         two nodes have one cable an index
#include <algorithm>

#include "sim/base/error.h"
#include "sim/network/fabric.h"
#include "sim/network/link_defaults.h"

namespace dsim::fabrics {
namespace {

class Ring : public Fabric {
 public:
  explicit Ring(const FabricSite& site)
      : nodes_(site.nodes), nics_(site.nics_per_node), nic_(site.nic) {}

  std::string description() const override { return "ring of nodes"; }
  std::size_t vertex_count() const override { return 0; }
  VertexKind vertex_kind(std::size_t) const override { return {}; }
  std::string vertex_name(std::size_t) const override { return {}; }
  std::size_t link_count() const override { return 2 * cables() * nics_; }
  // Link 2 * (c * nics + i) leads from node c to node c + 1 along ring i, the next id back.
  Cable cable(std::size_t link) const override {
    const std::size_t here = link / 2, next = (here / nics_ + 1) % nodes_ * nics_ + here % nics_;
    const bool onward = link % 2 == 0;
    return {{true, onward ? here : next},
            {true, onward ? next : here},
            nic_.bandwidth,
            nic_.latency,
            nic_.kind};
  }
  bool reaches(std::size_t from, std::size_t to) const override {
    return from % nics_ == to % nics_;
  }

  void append_route(std::size_t from, std::size_t to, PathChoice choice, std::uint32_t first_link,
                    Route& out) const override {
    require(reaches(from, to), "a ring joins NICs of one index");
    const std::size_t start = from / nics_, rail = from % nics_;
    const std::size_t onward = (to / nics_ + nodes_ - start) % nodes_, back = nodes_ - onward;
    const bool two_ways = onward == back && nodes_ > 2;
    const double share = two_ways && choice.spray ? 0.5 : 1.0;
    const bool take_onward = two_ways ? choice.spray || choice.hash % 2 == 0 : onward <= back;
    const bool take_back = two_ways ? choice.spray || choice.hash % 2 == 1 : onward > back;
    const auto link = [&](std::size_t cable, std::size_t direction) {
      return LinkId(first_link + 2 * (cable * nics_ + rail) + direction);
    };
    for (std::size_t step = 0; take_onward && step < onward; ++step)
      out.links.push_back({link((start + step) % nodes_, 0), share});
    for (std::size_t step = 0; take_back && step < back; ++step)
      out.links.push_back({link((start + 2 * nodes_ - 1 - step) % nodes_, 1), share});
    out.latency += static_cast<std::int64_t>(std::min(onward, back)) * nic_.latency;
  }

  Bandwidth rate_between(std::size_t middle, std::size_t) const override {
    if (middle == 0) return {};
    const double cuts = nodes_ > 2 ? 2 : 1;
    return {cuts * static_cast<double>(nics_) * nic_.bandwidth.bytes_per_second};
  }

 private:
  std::size_t cables() const { return nodes_ > 2 ? nodes_ : 1; }

  std::size_t nodes_, nics_;
  NicSpec nic_;
};

std::unique_ptr<Fabric> build(json::ObjectReader&, const json::Value& where,
                              const FabricSite& site) {
  if (site.nodes < 2) where.fail("a ring needs at least 2 nodes; this cluster has 1");
  return std::make_unique<Ring>(site);
}

}  // namespace

extern const FabricKind ring;
const FabricKind ring{"ring", "nodes cabled NIC to NIC in a ring, without switches", build};

}  // namespace dsim::fabrics
