#include "model/collective/algorithm.h"
#include "model/collective/pieces.h"

namespace dsim {

RoundProgram ring_in_pieces(std::uint32_t ranks, std::uint32_t pieces) {
  std::vector<Stage> stages;
  stages.push_back(ring_reduce_scatter(everyone(ranks, pieces), {pieces}));
  stages.push_back(ring_all_gather(everyone(ranks, pieces), {pieces}));
  RoundProgram program = in_sequence(ranks * pieces, std::move(stages));
  program.adds_while_next_round = pieces > 1;
  return program;
}

namespace {

bool ring_chunked_supports(CollectiveOp op) { return op == CollectiveOp::all_reduce; }

// Two chunks a rank whatever their size: 4 n steps (pytorch/gloo docs/algorithms.md).
Schedule plan_ring_chunked(const PlanRequest& request) {
  return rounds_schedule(request, Mechanics::host, ring_in_pieces(request.communicator->size(), 2));
}

}  // namespace

extern const Algorithm ring_chunked_algorithm;
const Algorithm ring_chunked_algorithm{"ring_chunked",
                                       "Gloo's older ring: two chunks a rank, whatever their size",
                                       ring_chunked_supports, plan_ring_chunked};

}  // namespace dsim
