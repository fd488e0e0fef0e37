// Dragonfly: switches in groups; in a group every switch is cabled to every other, and every group
// to every other group by several global cables, spread over its switches. Minimal routing: at most
// a local, a global and a local hop. Sprayed packets take all global cables between two groups
// evenly, a hashed flow one of those nearest to its switches.
//
//   [ group 0: switches 0 1 2 3 all joined ] ==== global cables ==== [ group 1 ] ==== ...
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/network/fabrics/switch_flow.h"
#include "sim/network/link_defaults.h"
#include "sim/network/link_values.h"

namespace dsim::fabrics {
namespace {

struct Shape {
  std::size_t ports = 0, below = 0;      ///< ports in all; at most below one switch
  std::size_t groups = 0, switches = 0;  ///< switches of a group
  std::size_t local = 1, global = 1;     ///< cables between two switches, between two groups
  Bandwidth local_rate, global_rate;     ///< of one cable
  NicSpec nic;
  Time hop;
};

class Dragonfly : public Fabric {
 public:
  explicit Dragonfly(const Shape& shape)
      : s_(shape),
        port_latency_(cable_latency(VertexKind::nic, VertexKind::leaf, s_.nic.latency, s_.hop)),
        trunk_latency_(cable_latency(VertexKind::leaf, VertexKind::leaf, s_.nic.latency, s_.hop)),
        pairs_(s_.switches * (s_.switches - 1) / 2) {}

  std::string description() const override {
    return fmt::format("dragonfly of {} group{}", s_.groups, s_.groups == 1 ? "" : "s");
  }
  std::size_t vertex_count() const override { return s_.groups * s_.switches; }
  VertexKind vertex_kind(std::size_t) const override { return VertexKind::leaf; }
  std::string vertex_name(std::size_t index) const override {
    return fmt::format("group{}.switch{}", index / s_.switches, index % s_.switches);
  }
  std::size_t link_count() const override { return 2 * (global_base() + global_cables()); }

  // Links come in pairs: a pair a port, then a pair a local cable, then a pair a global cable.
  Cable cable(std::size_t link) const override {
    const std::size_t pair = link / 2;
    Cable cable;
    cable.kind = s_.nic.kind;
    cable.latency = trunk_latency_;
    if (pair < s_.ports) {
      cable.from = {true, pair};
      cable.to = {false, pair / s_.below};
      cable.bandwidth = s_.nic.bandwidth;
      cable.latency = port_latency_;
    } else if (pair < global_base()) {
      const std::size_t c = (pair - s_.ports) / s_.local, group = c / pairs_;
      const auto [a, b] = unpaired(c % pairs_);
      cable.from = {false, group * s_.switches + a};
      cable.to = {false, group * s_.switches + b};
      cable.bandwidth = s_.local_rate;
    } else {
      const std::size_t c = pair - global_base();
      const auto [x, y] = unpaired(c / s_.global);
      cable.from = {false, gateway(x, y, c % s_.global)};
      cable.to = {false, gateway(y, x, c % s_.global)};
      cable.bandwidth = s_.global_rate;
    }
    if (link % 2 == 1) std::swap(cable.from, cable.to);
    return cable;
  }
  bool reaches(std::size_t, std::size_t) const override { return true; }

  void append_route(std::size_t from, std::size_t to, PathChoice choice, std::uint32_t first_link,
                    Route& out) const override {
    const std::size_t source = from / s_.below, target = to / s_.below;
    const std::size_t here = source / s_.switches, there = target / s_.switches;
    const std::size_t first = out.links.size();
    std::uint64_t hash = choice.hash;
    double trunks = 0;  // mean number of cables between switches
    const auto add = [&](std::size_t link, double share) {
      const LinkId id(first_link + link);
      const auto same =
          std::find_if(out.links.begin() + static_cast<std::ptrdiff_t>(first), out.links.end(),
                       [&](const LinkShare& part) { return part.link == id; });
      if (same == out.links.end())
        out.links.push_back({id, share});
      else
        same->share += share;
    };
    /// One local hop if the switches differ.
    const auto local = [&](std::size_t a, std::size_t b, double share) {
      if (a == b) return;
      const std::size_t base = local_link(a, b);
      if (choice.spray)
        for (std::size_t c = 0; c < s_.local; ++c)
          add(base + 2 * c, share / static_cast<double>(s_.local));
      else
        add(base + 2 * (hash % s_.local), share);
      trunks += share;
    };
    add(2 * from, 1);
    if (here == there) {
      local(source, target, 1);
    } else {
      const std::size_t chosen = choice.spray ? 0 : shortest(source, target, hash);
      for (std::size_t j = 0; j < s_.global; ++j) {
        if (!choice.spray && j != chosen) continue;
        const double share = choice.spray ? 1.0 / static_cast<double>(s_.global) : 1;
        local(source, gateway(here, there, j), share);
        const std::size_t pair = here < there ? paired(here, there) : paired(there, here);
        add(2 * (global_base() + pair * s_.global + j) + (here < there ? 0 : 1), share);
        trunks += share;
        local(gateway(there, here, j), target, share);
      }
    }
    add(2 * to + 1, 1);
    out.switch_hops += 1 + static_cast<int>(std::lround(trunks));  // of the mean path
    out.latency += port_latency_ + port_latency_ +
                   Time{std::llround(trunks * static_cast<double>(trunk_latency_.ps))};
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
    return switch_flow(below, s_.nic.bandwidth, std::move(trunks));
  }

 private:
  /// One of the global cables that need fewest local hops; takes its part off the hash.
  std::size_t shortest(std::size_t source, std::size_t target, std::uint64_t& hash) const {
    const std::size_t here = source / s_.switches, there = target / s_.switches;
    const auto hops = [&](std::size_t j) {
      return int{gateway(here, there, j) != source} + int{gateway(there, here, j) != target};
    };
    int fewest = 2;
    for (std::size_t j = 0; j < s_.global; ++j) fewest = std::min(fewest, hops(j));
    std::vector<std::size_t> equal;
    for (std::size_t j = 0; j < s_.global; ++j)
      if (hops(j) == fewest) equal.push_back(j);
    const std::size_t chosen = equal[hash % equal.size()];
    hash /= equal.size();
    return chosen;
  }
  static std::size_t paired(std::size_t low, std::size_t high) {
    return high * (high - 1) / 2 + low;
  }
  static std::pair<std::size_t, std::size_t> unpaired(std::size_t pair) {
    auto high = static_cast<std::size_t>((1 + std::sqrt(1 + 8 * static_cast<double>(pair))) / 2);
    while (high * (high - 1) / 2 > pair) --high;
    while ((high + 1) * high / 2 <= pair) ++high;
    return {pair - high * (high - 1) / 2, high};
  }
  std::size_t global_cables() const { return s_.groups * (s_.groups - 1) / 2 * s_.global; }
  std::size_t global_base() const { return s_.ports + s_.groups * pairs_ * s_.local; }
  /// The switch of group x at which its j-th cable to group y ends: in turn over the switches.
  std::size_t gateway(std::size_t x, std::size_t y, std::size_t j) const {
    const std::size_t order = (y + s_.groups - x) % s_.groups - 1;
    return x * s_.switches + (order * s_.global + j) % s_.switches;
  }
  /// First link from switch a to switch b of one group; the parallel ones follow two apart.
  std::size_t local_link(std::size_t a, std::size_t b) const {
    const std::size_t group = a / s_.switches, low = std::min(a, b) % s_.switches,
                      high = std::max(a, b) % s_.switches;
    return 2 * (s_.ports + (group * pairs_ + paired(low, high)) * s_.local) + (a < b ? 0 : 1);
  }

  Shape s_;
  Time port_latency_, trunk_latency_;
  std::size_t pairs_;  ///< of switches in a group
};

std::unique_ptr<Fabric> build(json::ObjectReader& spec, const json::Value& where,
                              const FabricSite& site) {
  // Slingshot: 64 ports a switch, groups of 32 switches with up to 16 end points each
  // (glennklockwood.com/garden/dragonfly).
  const auto number = [&](const char* key, std::size_t fallback) {
    const auto value = spec.find(key);
    return value ? static_cast<std::size_t>(value->as_integer(1, 65'536)) : fallback;
  };
  Shape s;
  s.nic = site.nic;
  s.ports = site.nodes * site.nics_per_node;
  const std::size_t nodes = std::min(
      number("nodes_per_switch", std::max<std::size_t>(1, 16 / site.nics_per_node)), site.nodes);
  s.below = nodes * site.nics_per_node;
  const std::size_t all = (site.nodes + nodes - 1) / nodes;
  s.switches = std::min(number("switches_per_group", 32), all);
  s.groups = (all + s.switches - 1) / s.switches;
  s.local = number("local_cables", 1);
  // Balanced: as many global cables as end points a switch (a = 2p = 2h), shared by the groups.
  const std::size_t balanced =
      s.groups > 1 ? std::max<std::size_t>(1, s.switches * s.below / (s.groups - 1)) : 1;
  s.global = number("global_cables", balanced);
  const auto local = spec.find("local_bandwidth"), global = spec.find("global_bandwidth");
  s.local_rate = local ? read_bandwidth(*local) : s.nic.bandwidth;
  s.global_rate = global ? read_bandwidth(*global) : s.nic.bandwidth;
  const auto hop = spec.find("hop_latency");
  s.hop = hop ? read_latency(*hop) : switch_latency(s.nic.kind);
  const std::size_t cables =
      s.groups * s.switches * s.switches / 2 * s.local + s.groups * s.groups / 2 * s.global;
  if (cables > 100'000'000)
    where.fail(
        fmt::format("a dragonfly of about {} cables between its switches is too large", cables));
  return std::make_unique<Dragonfly>(s);
}

}  // namespace

extern const FabricKind dragonfly;
const FabricKind dragonfly{
    "dragonfly", "groups of switches, joined all to all inside and between groups", build};

}  // namespace dsim::fabrics
