#include "model/collective/algorithm.h"
#include "model/collective/pieces.h"

namespace dsim {

namespace {

bool segmented_ring_supports(CollectiveOp op) { return op == CollectiveOp::all_reduce; }

// Each rank's block is reduced in segments of at most 1 MiB, one all the way around before the next
//; whole blocks are gathered: (segments + 1)(n - 1) rounds
// (open-mpi/ompi coll_base_allreduce.c).
Schedule plan_segmented_ring(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  const std::uint32_t pieces =
      pieces_of(divide_up(divide_up(request.size.count, n), ring_segment_bytes), n);
  std::vector<Stage> stages;
  stages.push_back(ring_reduce_scatter(everyone(n, pieces), {pieces, true}));
  stages.push_back(ring_all_gather(everyone(n, pieces)));
  return rounds_schedule(request, Mechanics::host, in_sequence(n * pieces, std::move(stages)));
}

}  // namespace

extern const Algorithm segmented_ring_algorithm;
const Algorithm segmented_ring_algorithm{
    "segmented_ring", "Open MPI's ring that reduces 1 MiB segments of the blocks one after another",
    segmented_ring_supports, plan_segmented_ring, [](const PlanRequest&) { return std::string(); }, true};

}  // namespace dsim
