#pragma once
#include <string>
#include <vector>

#include "model/simulate/scenario.h"

namespace dsim {

/// Bytes over the busiest link of a class of links during one collective.
struct LinkUse {
  std::string resource;     ///< "NIC uplink", "NVLink", "PCIe", "leaf uplink"
  std::size_t call = 0;     ///< index into Workload::collectives
  double busy_seconds = 0;  ///< bytes over the link's achievable rate
};

/// For each call and each kind of link the busiest one.
std::vector<LinkUse> link_uses(const Scenario& scenario, const Outcome& outcome);

}  // namespace dsim
