#pragma once
// A schedule with the links it loads: free of constants, so that many sizes share it.
#include <memory>
#include <string>
#include <vector>

#include "model/collective/algorithm.h"
#include "model/collective/backend.h"
#include "model/collective/constants.h"
#include "model/collective/fluid_run.h"
#include "model/collective/granularity.h"
#include "model/collective/link_resources.h"
#include "model/collective/rounds_fluid.h"
#include "model/collective/timing.h"

namespace dsim {

/// Links that every phase loads alike, by the slowest of them.
struct PhaseLink {
  LinkId sample;
  LinkKind kind = LinkKind::pcie;
  double nominal = 0;  ///< B/s
};

struct PlannedCollective {
  Schedule schedule;
  std::unique_ptr<LinkResources> resources;  ///< folded; null for Pattern::rounds

  // Pattern::rounds
  std::vector<PhaseLink> links;
  std::vector<PhasePlan> phases;
  std::uint32_t network_messages = 0;  ///< of one rank in one round, the most
};

PlannedCollective plan_collective(const Algorithm& algorithm, const PlanRequest& request,
                                  Backend backend = Backend::nccl);

/// A call of a plan made ready: how it is cut and what it costs, alone on the network.
struct PreparedCollective {
  std::uint32_t channels = 1;
  FluidCollective fluid;
  std::string bottleneck;    ///< "NIC (node0.nic3 -> leaf3)", "NVLink", "CTAs", "latency"
  double limit_seconds = 0;  ///< if only the busiest link worked, at its nominal rate; 0 if none
};

struct CallCosts {
  Protocol protocol = Protocol::simple;
  GranularityLimits limits;
  double graph_channels = 1;
  double launch_floor = 0;
  std::uint32_t channels = 1, p2p_channels = 1, p2p_per_peer = 1;  ///< of the communicator
};

/// How a call of a schedule in rounds is priced.
RoundCost costs_of_rounds(const PlannedCollective& plan, CollectiveOp op, Bytes size,
                          const CallCosts& call, const CollectiveConstants& constants);
std::vector<double> capacities_of(const PlannedCollective& plan,
                                  const CollectiveConstants& constants);

PreparedCollective prepare_collective(const PlannedCollective& plan, const Topology& topology,
                                      CollectiveOp op, Bytes size, const CallCosts& call,
                                      const CollectiveConstants& constants);

}  // namespace dsim
