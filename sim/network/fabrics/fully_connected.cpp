// Every node cabled to every other without switches: one cable for each pair of nodes and NIC
// index.
#include "sim/base/error.h"
#include "sim/network/fabric.h"
#include "sim/network/link_values.h"

#include <algorithm>

namespace dsim::fabrics {
namespace {

class FullyConnected : public Fabric {
 public:
  explicit FullyConnected(const FabricSite& site)
      : nodes_(site.nodes), nics_(site.nics_per_node), nic_(site.nic) {}

  std::string description() const override { return "fully connected nodes"; }
  std::size_t vertex_count() const override { return 0; }
  VertexKind vertex_kind(std::size_t) const override { return {}; }
  std::string vertex_name(std::size_t) const override { return {}; }
  std::size_t link_count() const override { return nodes_ * (nodes_ - 1) * nics_; }
  // Link (a * (nodes - 1) + k) * nics + i leads from node a to the k-th of the others on rail i.
  Cable cable(std::size_t link) const override {
    const std::size_t rail = link % nics_, pair = link / nics_;
    const std::size_t from = pair / (nodes_ - 1), k = pair % (nodes_ - 1);
    const std::size_t to = k < from ? k : k + 1;
    return {{true, from * nics_ + rail},
            {true, to * nics_ + rail},
            nic_.bandwidth,
            nic_.latency,
            nic_.kind};
  }
  bool reaches(std::size_t from, std::size_t to) const override {
    return from % nics_ == to % nics_;
  }
  void append_route(std::size_t from, std::size_t to, PathChoice, std::uint32_t first_link,
                    Route& out) const override {
    require(reaches(from, to), "fully connected nodes are joined NIC by NIC of one index");
    const std::size_t a = from / nics_, b = to / nics_;
    const std::size_t pair = a * (nodes_ - 1) + (b < a ? b : b - 1);
    out.links.push_back({LinkId(first_link + pair * nics_ + from % nics_), 1});
    out.latency += nic_.latency;
  }
  // Each source node has a cable to each sink node; a node that is neither can pass on what the
  // smaller side sends or takes.
  Bandwidth rate_between(std::size_t middle, std::size_t end) const override {
    const std::size_t a = middle / nics_, b = end / nics_ - a, others = nodes_ - a - b;
    const std::size_t cables = a * b + others * std::min(a, b);
    return {static_cast<double>(cables * nics_) * nic_.bandwidth.bytes_per_second};
  }

 private:
  std::size_t nodes_, nics_;
  NicSpec nic_;
};

std::unique_ptr<Fabric> build(json::ObjectReader& spec, const json::Value& where,
                              const FabricSite& site) {
  if (site.nodes < 2) where.fail("fully connected nodes are at least 2; this cluster has 1");
  if (site.nodes > 4096) where.fail("at most 4096 nodes can be fully connected");
  FabricSite cabled = site;
  if (const auto bandwidth = spec.find("cable_bandwidth"))
    cabled.nic.bandwidth = read_bandwidth(*bandwidth);
  return std::make_unique<FullyConnected>(cabled);
}

}  // namespace

extern const FabricKind fully_connected;
const FabricKind fully_connected{"fully_connected",
                                 "every NIC cabled to its like in every other node", build};

}  // namespace dsim::fabrics
