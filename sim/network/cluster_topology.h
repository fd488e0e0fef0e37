#pragma once
// The one implementation of Topology: nodes of known inside, joined by a fabric. Clusters of equal
// nodes keep one node type and compute ids; explicit graphs keep one type for each host.
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/network/fabric.h"
#include "sim/network/node_type.h"
#include "sim/network/topology.h"

namespace dsim {

/// Sockets in the place of the NICs' own protocol.
struct SocketNetwork {
  Time latency_gain;           ///< of both ends of a route over that of the NICs
  Bandwidth node_limit;        ///< of all connections of a node, one direction; 0 = none
  Bandwidth connection_limit;  ///< of one connection; 0 = none
};

/// What a topology is made of; shared by a cluster and the parts that first_gpus() cuts from it.
struct Cluster {
  std::string name;
  std::vector<NodeType> types;         ///< one for all nodes, one for each host, or see type_of
  std::vector<std::uint32_t> type_of;  ///< by node, where faults tell equal nodes apart
  std::size_t nodes = 0;
  std::shared_ptr<const Fabric> fabric;
  std::unordered_map<std::uint32_t, double> link_factor;  ///< of links whose rate a fault changes
  std::size_t faults = 0;                                 ///< how many the file names
  std::optional<SocketNetwork> sockets;
  std::shared_ptr<const json::Document> gpu_document;  ///< where the GPU is named
  std::optional<json::Value> gpu_place;
  Routing routing = Routing::spray;
  bool prefix_names = true;  ///< vertices are called "node3.gpu5", not "gpu5"

  /// True if all nodes have equally many vertices, links, GPUs and NICs.
  bool uniform() const { return types.size() == 1 || !type_of.empty(); }
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
  PathClass path_class(GpuId from, GpuId to) const override;
  PathClass nic_path_class(GpuId gpu, std::size_t nic) const override;
  std::size_t nvlink_count(GpuId from, GpuId to) const override;
  std::size_t nvswitch_links(GpuId gpu) const override;
  std::vector<std::size_t> nics_of_node(std::size_t node) const override;
  LinkKind nic_kind() const override { return node_type(0).nic_spec.kind; }
  Bandwidth nic_bandwidth() const override { return node_type(0).nic_spec.bandwidth; }
  [[noreturn]] void refuse_gpu(std::string_view message) const override;

  const Cluster& cluster() const { return *cluster_; }
  const NodeType& node_type(std::size_t node) const {
    if (!cluster_->type_of.empty()) return cluster_->types[cluster_->type_of[node]];
    return cluster_->types[uniform_ ? 0 : node];
  }
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
  void stripe(std::size_t here, std::size_t source, std::size_t there, std::size_t target,
              PathChoice choice, Route& out) const;
  void append_local(std::size_t node, const LocalPath& path, bool backwards, Route& out) const;
  void append_fabric(std::size_t from, std::size_t to, PathChoice choice, Route& out) const;
  /// Whether a node differs from another in what may be used.
  bool alike() const { return uniform_ && cluster_->type_of.empty(); }
  /// The link that stands for what the sockets of a node carry at most; onward or back.
  std::size_t host_link(std::size_t node, bool sending) const {
    return total_.links + cluster_->fabric->link_count() + 2 * node + (sending ? 0 : 1);
  }

  std::shared_ptr<const Cluster> cluster_;
  bool uniform_;
  Counts of_one_;               ///< of a node, if uniform
  std::vector<Counts> starts_;  ///< of all nodes and the end, if not uniform
  Counts total_;                ///< in all nodes
  std::size_t used_nodes_ = 0, used_gpus_ = 0;
};

}  // namespace dsim
