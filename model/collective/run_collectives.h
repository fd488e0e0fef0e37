#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/collective/algorithm.h"
#include "model/collective/constants.h"
#include "model/collective/fidelity.h"

namespace dsim {

/// A collective on a communicator, with nothing else of a training job around it.
struct CollectiveRequest {
  const Communicator* communicator = nullptr;
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes size;
  const Algorithm* algorithm = nullptr;
  std::uint32_t channels = 0;  ///< 0 = all that the algorithm has
  Time start;
};

struct CollectiveResult {
  double seconds = 0;  ///< from its start to the end of the last rank
  std::uint32_t channels = 0;
  std::uint64_t messages = 0;  ///< slices simulated; 0 unless `steps`
};

/// Runs the requests side by side on one network. All communicators share one topology.
std::vector<CollectiveResult> run_collectives(std::span<const CollectiveRequest> requests,
                                              const CollectiveConstants& constants,
                                              Fidelity fidelity);

}  // namespace dsim
