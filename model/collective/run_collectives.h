#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/collective/algorithm.h"
#include "model/collective/constants.h"
#include "model/collective/fidelity.h"
#include "model/collective/fluid_run.h"
#include "model/collective/granularity.h"
#include "model/collective/rounds_cost.h"

namespace dsim {

/// A planned collective with nothing else of a training job around it.
struct CollectiveRun {
  const Schedule* schedule = nullptr;
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes size;
  Protocol protocol = Protocol::simple;
  GranularityLimits limits;
  double graph_channels = 1;  ///< of NCCL's search: as many NIC proxies work side by side
  double least_seconds = 0;   ///< launch floor
  const CollectiveConstants* constants = nullptr;
  Time start;
  /// Pattern::rounds: where its ranks are, and what its messages cost.
  const Communicator* communicator = nullptr;
  RoundCost round_cost = {};
};

struct CollectiveResult {
  double seconds = 0;  ///< from its start to the end of the last rank
  std::uint32_t channels = 0;
  std::uint64_t messages = 0;  ///< slices simulated; 0 unless `steps`
};

/// Runs collectives side by side on one network. All schedules are on `topology`.
std::vector<CollectiveResult> run_collectives(const Topology& topology,
                                              std::span<const CollectiveRun> runs,
                                              Fidelity fidelity);

}  // namespace dsim
