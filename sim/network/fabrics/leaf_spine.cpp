#include "sim/network/fabrics/leaf_spine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/base/error.h"
#include "sim/network/link_defaults.h"
#include "sim/network/link_values.h"

namespace dsim::fabrics {

LeafSpine::LeafSpine(LeafSpineShape shape, LeafRule rule)
    : shape_(std::move(shape)),
      rule_(rule),
      port_latency_(
          cable_latency(VertexKind::nic, VertexKind::leaf, shape_.nic.latency, shape_.hop)),
      trunk_latency_(
          cable_latency(VertexKind::leaf, VertexKind::spine, shape_.nic.latency, shape_.hop)) {
  require(shape_.spines == 0 ? shape_.uplinks == 0 : shape_.uplinks % shape_.spines == 0,
          "the cables up of a leaf are shared evenly by the spines");
}

std::string LeafSpine::vertex_name(std::size_t index) const {
  return index < shape_.leaves ? fmt::format("leaf{}", index)
                               : fmt::format("spine{}", index - shape_.leaves);
}

std::size_t LeafSpine::link_count() const {
  return 2 * (shape_.ports + shape_.leaves * shape_.uplinks);
}

// Links come in pairs, up and down: first a pair a port, then a pair a cable above each leaf.
Cable LeafSpine::cable(std::size_t link) const {
  const std::size_t pair = link / 2;
  Cable cable;
  cable.kind = shape_.nic.kind;
  if (pair < shape_.ports) {
    cable.from = {true, pair};
    cable.to = {false, rule_.leaf_of(pair)};
    cable.bandwidth = shape_.nic.bandwidth;
    cable.latency = port_latency_;
  } else {
    const std::size_t trunk = pair - shape_.ports;
    cable.from = {false, trunk / shape_.uplinks};
    cable.to = {false, shape_.leaves + trunk % shape_.uplinks % shape_.spines};
    cable.bandwidth = shape_.uplink_bandwidth;
    cable.latency = trunk_latency_;
  }
  if (link % 2 == 1) std::swap(cable.from, cable.to);
  return cable;
}

void LeafSpine::append_route(std::size_t from, std::size_t to, PathChoice choice,
                             std::uint32_t first_link, Route& out) const {
  const std::size_t source = rule_.leaf_of(from), target = rule_.leaf_of(to);
  const auto add = [&](std::size_t link, double share) {
    out.links.push_back({LinkId(first_link + link), share});
  };
  add(2 * from, 1);
  out.latency += port_latency_ + port_latency_;
  out.switch_hops += 1;
  if (source != target) {
    require(shape_.spines > 0, "leaves without spines do not reach one another");
    const std::size_t cables = shape_.uplinks;
    if (choice.spray) {
      // Even over the cables up; each spine then spreads its part over its own cables down.
      const double share = 1.0 / static_cast<double>(cables);
      for (std::size_t c = 0; c < cables; ++c) add(up(source, c), share);
      for (std::size_t c = 0; c < cables; ++c) add(up(target, c) + 1, share);
    } else {
      const std::size_t chosen = choice.hash % cables, spine = chosen % shape_.spines;
      const std::size_t parallel = cables / shape_.spines;
      add(up(source, chosen), 1);
      add(up(target, spine + shape_.spines * (choice.hash / cables % parallel)) + 1, 1);
    }
    out.latency += trunk_latency_ + trunk_latency_;
    out.switch_hops += 2;
  }
  add(2 * to + 1, 1);
}

// Maximum flow in closed form. A leaf with a ports of the first part and b of the second turns
// t = min(a, b) port rates round by itself; the rest goes over the spines, which are non-blocking,
// limited by each leaf's cables: min(sum over leaves of out, sum of in).
Bandwidth LeafSpine::rate_between(std::size_t middle, std::size_t end) const {
  std::vector<std::pair<double, double>> ports(shape_.leaves);
  for (std::size_t p = 0; p < middle; ++p) ports[rule_.leaf_of(p)].first += 1;
  for (std::size_t p = middle; p < end; ++p) ports[rule_.leaf_of(p)].second += 1;
  const double rate = shape_.nic.bandwidth.bytes_per_second;
  const double trunk =
      static_cast<double>(shape_.uplinks) * shape_.uplink_bandwidth.bytes_per_second;
  double within = 0, out = 0, in = 0;
  for (const auto& [first, second] : ports) {
    const double turned = std::min(first, second) * rate;
    within += turned;
    out += std::min(first * rate - turned, trunk);
    in += std::min(second * rate - turned, trunk);
  }
  return {within + std::min(out, in)};
}

double read_ratio(const json::Value& value) {
  const std::string_view text = value.as_string();
  const auto colon = text.find(':');
  double left = 0, right = 0;
  const auto number = [](std::string_view part, double& result) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), result);
    return error == std::errc{} && end == part.data() + part.size() && std::isfinite(result) &&
           result > 0;
  };
  if (colon == std::string_view::npos || !number(text.substr(0, colon), left) ||
      !number(text.substr(colon + 1), right))
    value.fail(fmt::format("'{}' is not a ratio of down to up, such as \"1:1\" or \"2:1\"", text));
  return left / right;
}

namespace {

std::size_t default_spines(std::size_t leaves, std::size_t uplinks, std::size_t ports) {
  // Spines have 64 ports (NVIDIA Quantum-2; NVIDIA DGX SuperPOD reference architecture for H100 and
  // B200: 2, 4, 8 units of 32 nodes have 8, 16, 32 spines) where that lets every leaf reach every
  // spine over equally many cables, and as many ports as it takes beyond.
  const std::size_t wanted = (leaves * uplinks + ports - 1) / ports;
  for (std::size_t spines = wanted; spines < uplinks; ++spines)
    if (uplinks % spines == 0) return spines;
  return uplinks;
}

}  // namespace

void read_tiers(json::ObjectReader& spec, std::size_t down, LeafSpineShape& shape,
                std::size_t spine_ports) {
  const auto ratio_value = spec.find("oversubscription");
  const auto bandwidth = spec.find("uplink_bandwidth");
  const auto spines = spec.find("spines");
  const auto hop = spec.find("hop_latency");
  const double ratio = ratio_value ? read_ratio(*ratio_value) : 1;
  shape.uplink_bandwidth = bandwidth ? read_bandwidth(*bandwidth) : shape.nic.bandwidth;
  shape.hop = hop ? read_latency(*hop) : switch_latency(shape.nic.kind);
  if (spines && spines->as_integer(0, 1 << 20) == 0) {
    shape.spines = shape.uplinks = 0;
    return;
  }
  const double cables = static_cast<double>(down) * shape.nic.bandwidth.bytes_per_second /
                        (ratio * shape.uplink_bandwidth.bytes_per_second);
  shape.uplinks = static_cast<std::size_t>(std::llround(cables));
  if (cables < 1 - 1e-6 || cables > 1e6 || std::abs(cables - std::round(cables)) > 1e-6) {
    const auto& culprit = ratio_value ? ratio_value : bandwidth;
    require(culprit.has_value(), "one cable up for each NIC is a whole number");
    culprit->fail(fmt::format(
        "{} NICs below a leaf and {:g}:1 make {:.4g} cables up; it must be a whole number from 1",
        down, ratio, cables));
  }
  if (!spines) {
    shape.spines = default_spines(shape.leaves, shape.uplinks, spine_ports);
    return;
  }
  shape.spines = static_cast<std::size_t>(spines->as_integer());
  if (shape.uplinks % shape.spines != 0)
    spines->fail(fmt::format("{} spines cannot share the {} cables up of each leaf evenly",
                             shape.spines, shape.uplinks));
}

}  // namespace dsim::fabrics
