#pragma once
#include <filesystem>

#include "sim/base/json.h"
#include "sim/network/cluster_topology.h"

namespace dsim {

/// Reads "routing"; `fallback` if absent.
Routing read_routing(json::ObjectReader& reader, Routing fallback);

/// Reads a cluster of equal nodes: {"node", "nodes", "nics", "fabric", "routing", "gpu"}. Node
/// types named in it are looked for in `folder`/nodes, then among the shipped ones. Where the GPU
/// is named is kept in the cluster, with the document if that is a node type's.
void read_cluster(json::ObjectReader& reader, const json::Value& root,
                  const std::filesystem::path& folder, Cluster& cluster);

/// Reads an explicit graph: {"gpu", "cpu", "vertices", "hosts", "links", "routing"}.
void read_explicit(json::ObjectReader& reader, const json::Value& root, Cluster& cluster);

/// Reads "faults": [{"link": ["node3.gpu5", "node3.nvswitch0"], "bandwidth_factor": 0.25},
/// {"nic": "node1.nic2", "down": true}, {"gpu": "node0.gpu1", "down": true}, ...] into a cluster
/// that is complete otherwise. "down" of a GPU takes its NVLinks away, not the GPU.
void read_faults(const json::Value& value, Cluster& cluster);

}  // namespace dsim
