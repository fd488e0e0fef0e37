// Every NIC on one non-blocking switch:
//
//   nic  nic  nic  nic       ports 0..P-1
//     \   |    |   /
//      [  leaf0   ]          1 switch hop between any two
#include <algorithm>

#include "sim/network/fabric.h"
#include "sim/network/link_defaults.h"
#include "sim/network/link_values.h"

namespace dsim::fabrics {
namespace {

class SingleSwitch : public Fabric {
 public:
  SingleSwitch(const FabricSite& site, Time hop)
      : ports_(site.nodes * site.nics_per_node),
        nic_(site.nic),
        latency_(cable_latency(VertexKind::nic, VertexKind::leaf, site.nic.latency, hop)) {}

  std::string description() const override { return "single switch"; }
  std::size_t vertex_count() const override { return 1; }
  VertexKind vertex_kind(std::size_t) const override { return VertexKind::leaf; }
  std::string vertex_name(std::size_t) const override { return "leaf0"; }
  std::size_t link_count() const override { return 2 * ports_; }
  Cable cable(std::size_t link) const override {
    const FabricEnd port{true, link / 2}, leaf{false, 0};
    const bool up = link % 2 == 0;
    return {up ? port : leaf, up ? leaf : port, nic_.bandwidth, latency_, nic_.kind};
  }
  bool reaches(std::size_t, std::size_t) const override { return true; }
  void append_route(std::size_t from, std::size_t to, PathChoice, std::uint32_t first_link,
                    Route& out) const override {
    out.links.push_back({LinkId(first_link + 2 * from), 1});
    out.links.push_back({LinkId(first_link + 2 * to + 1), 1});
    out.latency += latency_ + latency_;
    out.switch_hops += 1;
  }
  Bandwidth rate_between(std::size_t middle, std::size_t end) const override {
    return {static_cast<double>(std::min(middle, end - middle)) * nic_.bandwidth.bytes_per_second};
  }

 private:
  std::size_t ports_;
  NicSpec nic_;
  Time latency_;
};

std::unique_ptr<Fabric> build(json::ObjectReader& spec, const json::Value&,
                              const FabricSite& site) {
  const auto hop = spec.find("hop_latency");
  return std::make_unique<SingleSwitch>(site,
                                        hop ? read_latency(*hop) : switch_latency(site.nic.kind));
}

}  // namespace

extern const FabricKind single_switch;
const FabricKind single_switch{"single_switch", "every NIC on one non-blocking switch", build};

}  // namespace dsim::fabrics
