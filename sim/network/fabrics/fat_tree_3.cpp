// Three-level fat tree: NICs of a few nodes on a leaf, leaves and spines in pods, cores above.
// Spine number s of every pod has its own cores.
//
//     core (s, 0..K-1)                 C cables up from each spine, shared by its K cores
//     spine s of pod 0   spine s of pod 1 ...
//     leaves of pod 0    leaves of pod 1 ...      U cables up from each leaf, shared by S spines
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/network/fabrics/leaf_spine.h"
#include "sim/network/fabrics/switch_flow.h"
#include "sim/network/link_defaults.h"

namespace dsim::fabrics {
namespace {

struct Shape {
  LeafSpineShape pod;  ///< leaves, spines, cables up and rates of one pod
  std::size_t ports = 0, below = 0, pods = 0;
  std::size_t up = 0, cores = 0;  ///< cables up from a spine, and cores that share them
};

class FatTree3 : public Fabric {
 public:
  explicit FatTree3(Shape shape)
      : s_(std::move(shape)),
        port_latency_(
            cable_latency(VertexKind::nic, VertexKind::leaf, s_.pod.nic.latency, s_.pod.hop)),
        trunk_latency_(
            cable_latency(VertexKind::leaf, VertexKind::spine, s_.pod.nic.latency, s_.pod.hop)) {}

  std::string description() const override { return s_.pod.description; }
  std::size_t vertex_count() const override { return leaves() + spines() + cores(); }
  VertexKind vertex_kind(std::size_t index) const override {
    return index < leaves()              ? VertexKind::leaf
           : index < leaves() + spines() ? VertexKind::spine
                                         : VertexKind::core;
  }
  std::string vertex_name(std::size_t index) const override {
    if (index < leaves()) return fmt::format("leaf{}", index);
    if (index < leaves() + spines()) return fmt::format("spine{}", index - leaves());
    return fmt::format("core{}", index - leaves() - spines());
  }
  std::size_t link_count() const override {
    return 2 * (s_.ports + leaves() * s_.pod.uplinks + spines() * s_.up);
  }

  // Links come in pairs, up and down: a pair a port, one a cable above each leaf, then above each
  // spine.
  Cable cable(std::size_t link) const override {
    std::size_t pair = link / 2;
    Cable cable;
    cable.kind = s_.pod.nic.kind;
    cable.bandwidth = s_.pod.uplink_bandwidth;
    cable.latency = trunk_latency_;
    if (pair < s_.ports) {
      cable.from = {true, pair};
      cable.to = {false, pair / s_.below};
      cable.bandwidth = s_.pod.nic.bandwidth;
      cable.latency = port_latency_;
    } else if ((pair -= s_.ports) < leaves() * s_.pod.uplinks) {
      const std::size_t leaf = pair / s_.pod.uplinks, pod = leaf / s_.pod.leaves;
      cable.from = {false, leaf};
      cable.to = {false, leaves() + pod * s_.pod.spines + pair % s_.pod.uplinks % s_.pod.spines};
    } else {
      pair -= leaves() * s_.pod.uplinks;
      const std::size_t spine = pair / s_.up, number = spine % s_.pod.spines;
      cable.from = {false, leaves() + spine};
      cable.to = {false, leaves() + spines() + number * s_.cores + pair % s_.up % s_.cores};
    }
    if (link % 2 == 1) std::swap(cable.from, cable.to);
    return cable;
  }
  bool reaches(std::size_t, std::size_t) const override { return true; }

  void append_route(std::size_t from, std::size_t to, PathChoice choice, std::uint32_t first_link,
                    Route& out) const override {
    const std::size_t source = from / s_.below, target = to / s_.below;
    const std::size_t here = source / s_.pod.leaves, there = target / s_.pod.leaves;
    const std::size_t cables = s_.pod.uplinks, number = s_.pod.spines;
    const auto add = [&](std::size_t link, double share) {
      out.links.push_back({LinkId(first_link + link), share});
    };
    add(2 * from, 1);
    out.latency += port_latency_ + port_latency_;
    out.switch_hops += 1;
    if (source != target) {
      out.latency += trunk_latency_ + trunk_latency_;
      out.switch_hops += 2;
      const bool over_cores = here != there;
      if (over_cores) {
        out.latency += trunk_latency_ + trunk_latency_;
        out.switch_hops += 2;
      }
      if (choice.spray) {
        const double share = 1.0 / static_cast<double>(cables);
        const double part = 1.0 / static_cast<double>(number * s_.up);
        for (std::size_t c = 0; c < cables; ++c) add(above_leaf(source, c), share);
        if (over_cores)
          for (std::size_t s = 0; s < number; ++s)
            for (std::size_t c = 0; c < s_.up; ++c) {
              add(above_spine(here * number + s, c), part);
              add(above_spine(there * number + s, c) + 1, part);
            }
        for (std::size_t c = 0; c < cables; ++c) add(above_leaf(target, c) + 1, share);
      } else {
        std::uint64_t hash = choice.hash;
        const auto pick = [&](std::size_t choices) {
          const std::size_t chosen = hash % choices;
          hash /= choices;
          return chosen;
        };
        const std::size_t chosen = pick(cables), spine = chosen % number;
        add(above_leaf(source, chosen), 1);
        if (over_cores) {
          const std::size_t up = pick(s_.up);
          add(above_spine(here * number + spine, up), 1);
          const std::size_t down = up % s_.cores + s_.cores * pick(s_.up / s_.cores);
          add(above_spine(there * number + spine, down) + 1, 1);
        }
        add(above_leaf(target, spine + number * pick(cables / number)) + 1, 1);
      }
    }
    add(2 * to + 1, 1);
  }

  Bandwidth rate_between(std::size_t middle, std::size_t end) const override {
    std::vector<std::pair<std::size_t, std::size_t>> below(vertex_count());
    for (std::size_t p = 0; p < end; ++p)
      ++(p < middle ? below[p / s_.below].first : below[p / s_.below].second);
    std::vector<Link> trunks;
    for (std::size_t l = 2 * s_.ports; l < link_count(); ++l) {
      const Cable c = cable(l);
      trunks.push_back({VertexId(c.from.index), VertexId(c.to.index), c.bandwidth, {}, c.kind});
    }
    return switch_flow(below, s_.pod.nic.bandwidth, std::move(trunks));
  }

 private:
  std::size_t leaves() const { return s_.pods * s_.pod.leaves; }
  std::size_t spines() const { return s_.pods * s_.pod.spines; }
  std::size_t cores() const { return s_.pod.spines * s_.cores; }
  std::size_t above_leaf(std::size_t leaf, std::size_t cable) const {
    return 2 * (s_.ports + leaf * s_.pod.uplinks + cable);
  }
  std::size_t above_spine(std::size_t spine, std::size_t cable) const {
    return 2 * (s_.ports + leaves() * s_.pod.uplinks + spine * s_.up + cable);
  }

  Shape s_;
  Time port_latency_, trunk_latency_;
};

std::unique_ptr<Fabric> build(json::ObjectReader& spec, const json::Value& where,
                              const FabricSite& site) {
  // By default 64-port switches, half of the ports down, as in the two-level tree.
  const auto below = spec.find("nodes_per_leaf"), pod = spec.find("leaves_per_pod");
  const auto nodes = std::min(below ? static_cast<std::size_t>(below->as_integer(1, 1'000'000))
                                    : std::max<std::size_t>(1, 32 / site.nics_per_node),
                              site.nodes);
  Shape s;
  s.below = nodes * site.nics_per_node;
  s.ports = site.nodes * site.nics_per_node;
  const std::size_t all = (site.nodes + nodes - 1) / nodes;
  s.pod.leaves = std::min(
      pod ? static_cast<std::size_t>(pod->as_integer(1, 1'000'000)) : std::size_t{32}, all);
  s.pods = (all + s.pod.leaves - 1) / s.pod.leaves;
  s.pod.nic = site.nic;
  read_tiers(spec, s.below, s.pod, 32);  // half of a spine's 64 ports face down
  if (s.pod.spines == 0) where.fail("a three-level tree has spines; it cannot have 0 of them");
  const std::size_t down = s.pod.leaves * s.pod.uplinks / s.pod.spines;
  const auto ratio = spec.find("core_oversubscription");
  const double taper = ratio ? read_ratio(*ratio) : 1;
  const double up = static_cast<double>(down) / taper;
  s.up = static_cast<std::size_t>(up + 0.5);
  if (s.up < 1 || std::abs(up - static_cast<double>(s.up)) > 1e-6 || s.up > 1'000'000)
    ratio->fail(
        fmt::format("{} cables below a spine and {:g}:1 make {:.4g} cables up; it must be "
                    "a whole number from 1",
                    down, taper, up));
  // As few cores as 64 ports allow, if that shares the cables of a spine evenly.
  s.cores = s.up;
  for (std::size_t k = 1; k < s.up; ++k)
    if (s.up % k == 0 && s.pods * (s.up / k) <= 64) {
      s.cores = k;
      break;
    }
  const double rate =
      s.pod.nic.bandwidth.bytes_per_second * static_cast<double>(s.below) /
      (static_cast<double>(s.pod.uplinks) * s.pod.uplink_bandwidth.bytes_per_second);
  s.pod.description = "three-level fat tree";
  if (rate * taper > 1 + 1e-9) s.pod.description += fmt::format(", {:.3g}:1", rate * taper);
  return std::make_unique<FatTree3>(std::move(s));
}

}  // namespace

extern const FabricKind fat_tree_3;
const FabricKind fat_tree_3{"fat_tree_3",
                            "pods of leaves and spines under cores, may be oversubscribed", build};

}  // namespace dsim::fabrics
