#pragma once
// Two tiers of switches, leaves below and spines above; kinds differ in which leaf a NIC is on.
//
//     [ spine0 ]  [ spine1 ]        cable u of every leaf goes to spine u mod S
//       |  |  |     |  |  |           (U cables up, U a multiple of S)
//   leaf0  leaf1 ...  leafL-1         1 switch hop under one leaf, 3 otherwise
//    |||    |||         |||
//   D NICs a leaf
#include <vector>

#include "sim/network/fabric.h"

namespace dsim::fabrics {

/// Sizes of a two-tier tree. Requires uplinks to be a multiple of spines.
struct LeafSpineShape {
  std::string description;
  std::size_t ports = 0;
  std::size_t leaves = 0;
  std::size_t uplinks = 0;  ///< cables up from each leaf; 0 without spines
  std::size_t spines = 0;
  NicSpec nic;
  Bandwidth uplink_bandwidth;  ///< of one cable
  Time hop;                    ///< latency of a switch
};

/// Which leaf a port is plugged into: groups of nodes have one leaf, or one for each NIC index
/// (rail).
struct LeafRule {
  std::size_t nics_per_node = 1;
  std::size_t nodes_per_group = 1;
  bool by_rail = false;

  std::size_t leaf_of(std::size_t port) const {
    const std::size_t group = port / (nics_per_node * nodes_per_group);
    return by_rail ? group * nics_per_node + port % nics_per_node : group;
  }
};

class LeafSpine : public Fabric {
 public:
  LeafSpine(LeafSpineShape shape, LeafRule rule);

  std::string description() const override { return shape_.description; }
  std::size_t vertex_count() const override { return shape_.leaves + shape_.spines; }
  VertexKind vertex_kind(std::size_t index) const override {
    return index < shape_.leaves ? VertexKind::leaf : VertexKind::spine;
  }
  std::string vertex_name(std::size_t index) const override;
  std::size_t link_count() const override;
  Cable cable(std::size_t link) const override;
  bool reaches(std::size_t from, std::size_t to) const override {
    return shape_.spines > 0 || rule_.leaf_of(from) == rule_.leaf_of(to);
  }
  void append_route(std::size_t from, std::size_t to, PathChoice choice, std::uint32_t first_link,
                    Route& out) const override;
  Bandwidth rate_between(std::size_t middle, std::size_t end) const override;

 private:
  std::size_t up(std::size_t leaf, std::size_t cable) const {
    return 2 * (shape_.ports + leaf * shape_.uplinks + cable);
  }

  LeafSpineShape shape_;
  LeafRule rule_;
  Time port_latency_, trunk_latency_;
};

/// "2:1" as 2.
double read_ratio(const json::Value& value);

/// Reads the keys both kinds share (oversubscription, uplink_bandwidth, spines, hop_latency) and
/// fills uplinks, spines and rates for `down` NICs a leaf and `shape.leaves` leaves. Spines not
/// given have `spine_ports` ports down.
void read_tiers(json::ObjectReader& spec, std::size_t down, LeafSpineShape& shape,
                std::size_t spine_ports = 64);

}  // namespace dsim::fabrics
