#include <algorithm>

#include "model/collective/algorithm.h"
#include "model/collective/pieces.h"

namespace dsim {

namespace {

bool gloo_ring_supports(CollectiveOp op) { return op == CollectiveOp::all_reduce; }

// Segments of at most 1 MiB, at least two a rank, so that one is added while the next is on its
// way; as many for each rank (pytorch/gloo gloo/allreduce.cc). Gloo's ring runs towards lower
// ranks.
Schedule plan_gloo_ring(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  const std::int64_t segments =
      std::max(divide_up(request.size.count, ring_segment_bytes), 2 * std::int64_t{n});
  return rounds_schedule(request, Mechanics::host,
                         ring_in_pieces(n, pieces_of(divide_up(segments, n), n)));
}

}  // namespace

extern const Algorithm gloo_ring_algorithm;
const Algorithm gloo_ring_algorithm{
    "gloo_ring", "Gloo's default: a ring of segments of at most 1 MiB, at least two a rank",
    gloo_ring_supports, plan_gloo_ring, [](const PlanRequest&) { return std::string(); }, true};

}  // namespace dsim
