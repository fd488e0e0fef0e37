// Two-level fat tree: all NICs of a few nodes on one leaf, spines above, 1:1 or oversubscribed.
#include <fmt/format.h>

#include <algorithm>

#include "sim/network/fabrics/leaf_spine.h"

namespace dsim::fabrics {
namespace {

std::unique_ptr<Fabric> build(json::ObjectReader& spec, const json::Value& where,
                              const FabricSite& site) {
  // By default half of a 64-port switch faces down (1:1 tree of k-port switches: k/2 down, k/2 up).
  const auto below = spec.find("nodes_per_leaf");
  const auto nodes = std::min(below ? static_cast<std::size_t>(below->as_integer(1, 1'000'000))
                                    : std::max<std::size_t>(1, 32 / site.nics_per_node),
                              site.nodes);
  LeafSpineShape shape;
  shape.ports = site.nodes * site.nics_per_node;
  shape.leaves = (site.nodes + nodes - 1) / nodes;
  shape.nic = site.nic;
  read_tiers(spec, nodes * site.nics_per_node, shape);
  if (shape.leaves == 1) shape.spines = shape.uplinks = 0;
  if (shape.spines == 0 && shape.leaves > 1)
    where.fail(fmt::format("without spines all nodes must be on one leaf; here they are on {}",
                           shape.leaves));
  const double down =
      static_cast<double>(nodes * site.nics_per_node) * shape.nic.bandwidth.bytes_per_second;
  const double up = static_cast<double>(shape.uplinks) * shape.uplink_bandwidth.bytes_per_second;
  shape.description = up > 0 && down > up ? fmt::format("two-level fat tree, {:.3g}:1", down / up)
                                          : "two-level fat tree";
  return std::make_unique<LeafSpine>(std::move(shape), LeafRule{site.nics_per_node, nodes, false});
}

}  // namespace

extern const FabricKind fat_tree;
const FabricKind fat_tree{
    "fat_tree", "all NICs of some nodes on one leaf, spines above, may be oversubscribed", build};

}  // namespace dsim::fabrics
