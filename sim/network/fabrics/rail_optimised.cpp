// Rail-optimised fat tree: in a scalable unit of N nodes, NIC i of every node is on leaf i, so that
// GPUs of one index are one switch apart; spines join the leaves of all units.
//
//            spines
//   leaf0  leaf1 ... leaf7 | leaf8 ... leaf15      unit u, NIC i: leaf u * NICs + i
//   [node0  node1 ... node31] [node32 ... node63]
#include <algorithm>

#include "sim/network/fabrics/leaf_spine.h"

namespace dsim::fabrics {
namespace {

std::unique_ptr<Fabric> build(json::ObjectReader& spec, const json::Value& where,
                              const FabricSite& site) {
  // Scalable unit of 32 nodes: NVIDIA DGX SuperPOD reference architecture for H100 and B200.
  const auto unit_value = spec.find("scalable_unit");
  const auto unit = std::min(
      unit_value ? static_cast<std::size_t>(unit_value->as_integer(1, 1'000'000)) : 32, site.nodes);
  const std::size_t units = (site.nodes + unit - 1) / unit;
  LeafSpineShape shape;
  shape.description = "rail-optimised fat tree";
  shape.ports = site.nodes * site.nics_per_node;
  shape.leaves = units * site.nics_per_node;
  shape.nic = site.nic;
  read_tiers(spec, unit, shape);
  if (shape.spines == 0 && units > 1)
    where.fail("without spines all nodes must be in one scalable unit; here they are in " +
               std::to_string(units));
  return std::make_unique<LeafSpine>(std::move(shape), LeafRule{site.nics_per_node, unit, true});
}

}  // namespace

extern const FabricKind rail_optimised;
const FabricKind rail_optimised{
    "rail_optimised", "a leaf for each NIC index of a scalable unit, spines above", build};

}  // namespace dsim::fabrics
