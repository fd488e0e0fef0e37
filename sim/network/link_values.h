#pragma once
// Values of links as files give them, within sane limits.
#include <optional>
#include <string_view>

#include "sim/base/json.h"
#include "sim/network/node_type.h"

namespace dsim {

/// A rate between 1 kb/s and 100 TB/s.
Bandwidth read_bandwidth(const json::Value& value);
/// A latency of at most one second.
Time read_latency(const json::Value& value);
/// "nvlink", "pcie"...; the network kinds alone if `network` is set, the others if it is not.
LinkKind read_link_kind(const json::Value& value, std::optional<bool> network = std::nullopt);
/// "gpu", "leaf"... as a key of an object; fabric switches only if `fabric`.
VertexKind read_vertex_kind(std::string_view key, const json::Value& value, bool fabric);
/// A NIC's {"kind", "bandwidth", "latency"}; latency by kind unless given.
NicSpec read_nic(json::ObjectReader& spec);
/// Changes what a {"kind", "bandwidth", "latency"} names; kinds bring their latency.
void override_nic(json::ObjectReader& spec, NicSpec& nic);

}  // namespace dsim
