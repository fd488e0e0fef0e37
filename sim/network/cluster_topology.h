#pragma once
// The one implementation of Topology: nodes of known inside, joined by a fabric. Clusters of equal
// nodes keep one node type and compute ids; explicit graphs keep one type for each host.
#include <memory>
#include <string>
#include <vector>

#include "sim/network/fabric.h"
#include "sim/network/node_type.h"
#include "sim/network/topology.h"

namespace dsim {

/// What a topology is made of; shared by a cluster and the parts that first_gpus() cuts from it.
struct Cluster {
  std::string name;
  std::vector<NodeType> types;  ///< one for all nodes, or one for each host
  std::size_t nodes = 0;
  std::unique_ptr<Fabric> fabric;
  Routing routing = Routing::spray;
  bool prefix_names = true;  ///< vertices are called "node3.gpu5", not "gpu5"
};

/// Ids are node-major: node n has vertices, links, GPUs and ports [first(n), first(n + 1)); the
/// fabric's vertices and links follow. Cost of every query: O(1) in the size of the cluster, O(log
/// hosts) for explicit graphs.
class ClusterTopology : public Topology {
 public:
  explicit ClusterTopology(std::shared_ptr<const Cluster> cluster);

  std::string_view name() const override { return cluster_->name; }
  std::string description() const override;
  std::string_view gpu_model() const override { return cluster_->types.front().gpu_model; }
  std::string_view cpu_vendor() const override { return cluster_->types.front().cpu_vendor; }
  std::size_t node_count() const override { return used_nodes_; }
  std::size_t gpus_per_node() const override;
  std::size_t gpu_count() const override { return used_gpus_; }
  std::size_t nics_per_node() const override;
  std::size_t node_of(GpuId gpu) const override;
  std::size_t local_index(GpuId gpu) const override;
  std::vector<std::size_t> nics_of(GpuId gpu) const override;
  std::size_t vertex_count() const override;
  VertexKind vertex_kind(VertexId vertex) const override;
  std::string vertex_name(VertexId vertex) const override;
  VertexId gpu_vertex(GpuId gpu) const override;
  std::size_t link_count() const override;
  Link link(LinkId link) const override;
  Routing default_routing() const override { return cluster_->routing; }
  void route(GpuId from, GpuId to, Routing routing, RouteKey key, Route& out) const override;
  bool nvlink_inside_node() const override;
  bool has_nvswitch() const override { return node_type(0).has_nvswitch; }

  const Cluster& cluster() const { return *cluster_; }
  const NodeType& node_type(std::size_t node) const { return cluster_->types[uniform_ ? 0 : node]; }
  /// The first `gpus` GPUs of it; requires that they are whole nodes or a part of the first.
  std::shared_ptr<const ClusterTopology> first(std::size_t gpus) const;
  /// GPUs in the nodes before `node`.
  std::size_t gpus_before(std::size_t node) const { return before(node).gpus; }
  /// NICs in the nodes before `node`: the first port of `node`.
  std::size_t ports_before(std::size_t node) const { return before(node).ports; }

 private:
  struct Counts {
    std::size_t vertices = 0, links = 0, gpus = 0, ports = 0;
  };
  Counts before(std::size_t node) const;
  std::size_t node_holding(std::size_t index, std::size_t Counts::*what) const;
  VertexId end_of(FabricEnd end) const;
  void append_local(std::size_t node, const LocalPath& path, bool backwards, Route& out) const;

  std::shared_ptr<const Cluster> cluster_;
  bool uniform_;
  Counts of_one_;               ///< of a node, if uniform
  std::vector<Counts> starts_;  ///< of all nodes and the end, if not uniform
  Counts total_;                ///< in all nodes
  std::size_t used_nodes_ = 0, used_gpus_ = 0;
};

}  // namespace dsim
