#include "sim/network/link_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/quantity.h"
#include "sim/base/spelling.h"
#include "sim/network/link_defaults.h"

namespace dsim {
namespace {

constexpr std::array all_vertex_kinds{
    VertexKind::gpu, VertexKind::nvswitch, VertexKind::pcie_switch, VertexKind::cpu,
    VertexKind::nic, VertexKind::leaf,     VertexKind::spine,       VertexKind::core};

}  // namespace

Bandwidth read_bandwidth(const json::Value& value) {
  const Bandwidth rate = value.as_bandwidth();
  constexpr Bandwidth least{125}, most{1e14};
  if (rate < least || rate > most)
    value.fail(
        fmt::format("a bandwidth of {} is out of range: 1 kb/s to 100 TB/s", value.as_string()));
  return rate;
}

Time read_latency(const json::Value& value) {
  using namespace dsim::literals;
  const Time latency = value.as_time();
  if (latency > 1_s)
    value.fail(fmt::format("a latency of {} is out of range: at most 1 s", value.as_string()));
  return latency;
}

LinkKind read_link_kind(const json::Value& value, std::optional<bool> network) {
  std::vector<std::string_view> known;
  for (std::size_t k = 0; k < link_kind_count; ++k) {
    const auto kind = static_cast<LinkKind>(k);
    if (network && is_network(kind) != *network) continue;
    if (name_of(kind) == value.as_string()) return kind;
    known.push_back(name_of(kind));
  }
  value.fail(unknown_name("link kind", value.as_string(), known));
}

VertexKind read_vertex_kind(std::string_view key, const json::Value& value, bool fabric) {
  std::vector<std::string_view> known;
  for (const VertexKind kind : all_vertex_kinds) {
    if (!fabric && is_fabric_switch(kind)) continue;
    if (name_of(kind) == key) return kind;
    known.push_back(name_of(kind));
  }
  value.fail_at_key(unknown_name("vertex kind", key, known));
}

NicSpec read_nic(json::ObjectReader& spec) {
  NicSpec nic;
  nic.kind = read_link_kind(spec.at("kind"), true);
  nic.bandwidth = read_bandwidth(spec.at("bandwidth"));
  const auto latency = spec.find("latency");
  nic.latency = latency ? read_latency(*latency) : nic_latency(nic.kind);
  if (const auto ports = spec.find("ports")) nic.ports = static_cast<int>(ports->as_integer(1, 4));
  return nic;
}

void override_nic(json::ObjectReader& spec, NicSpec& nic) {
  if (const auto kind = spec.find("kind")) {
    nic.kind = read_link_kind(*kind, true);
    nic.latency = nic_latency(nic.kind);
  }
  if (const auto bandwidth = spec.find("bandwidth")) nic.bandwidth = read_bandwidth(*bandwidth);
  if (const auto latency = spec.find("latency")) nic.latency = read_latency(*latency);
  if (const auto ports = spec.find("ports")) nic.ports = static_cast<int>(ports->as_integer(1, 4));
}

}  // namespace dsim
