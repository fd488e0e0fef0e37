#pragma once
#include <filesystem>

#include "sim/base/json.h"
#include "sim/network/cluster_topology.h"

namespace dsim {

/// Reads "routing"; `fallback` if absent.
Routing read_routing(json::ObjectReader& reader, Routing fallback);

/// Reads a cluster of equal nodes: {"node", "nodes", "nics", "fabric", "routing", "gpu"}. Node
/// types named in it are looked for in `folder`/nodes, then among the shipped ones.
void read_cluster(json::ObjectReader& reader, const json::Value& root,
                  const std::filesystem::path& folder, Cluster& cluster);

/// Reads an explicit graph: {"gpu", "cpu", "vertices", "hosts", "links", "routing"}.
void read_explicit(json::ObjectReader& reader, const json::Value& root, Cluster& cluster);

}  // namespace dsim
