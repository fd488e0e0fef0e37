#include "model/collective/algorithm.h"
#include "model/collective/all_to_all_rounds.h"
#include "model/collective/rooted_stages.h"

namespace dsim {

namespace {

bool direct_supports(CollectiveOp op) {
  return op == CollectiveOp::all_to_all || op == CollectiveOp::sendrecv ||
         op == CollectiveOp::gather || op == CollectiveOp::scatter;
}

// Grouped send and receive: all peers at once, in one round. sendrecv is nccl-tests': rank i sends
// the whole size to i + 1. A route to another rail passes the GPU of that rail where routing is
// rail-aligned (PXN).
Schedule plan_direct(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  if (request.op == CollectiveOp::all_to_all)
    return rounds_schedule(request, Mechanics::copy, all_to_all_program(request, false));
  const Rooted rooted{.ranks = n, .root = request.root, .own_blocks = true};
  std::vector<Stage> stages;
  if (request.op == CollectiveOp::sendrecv)
    stages.push_back(single_round([n](std::vector<Transfer>& out) {
      for (std::uint32_t rank = 0; rank < n; ++rank)
        out.push_back({rank, (rank + 1) % n, 0, 1, false});
    }));
  else
    stages.push_back(request.op == CollectiveOp::gather ? star_in(rooted) : star_out(rooted));
  return rounds_schedule(
      request, Mechanics::copy,
      in_sequence(request.op == CollectiveOp::sendrecv ? 1 : n, std::move(stages)));
}

}  // namespace

extern const Algorithm direct_algorithm;
const Algorithm direct_algorithm{"direct", "grouped send and receive: every peer at once",
                                 direct_supports, plan_direct, counts_unfit};

}  // namespace dsim
