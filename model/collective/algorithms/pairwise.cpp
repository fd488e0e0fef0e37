#include "model/collective/algorithm.h"
#include "model/collective/all_to_all_rounds.h"
#include "model/collective/round_stages.h"

namespace dsim {

namespace {

bool pairwise_supports(CollectiveOp op) { return op == CollectiveOp::all_to_all; }

// In round r rank i sends to i + r and receives from i - r; round 0 is its own part.
Schedule plan_pairwise(const PlanRequest& request) {
  return rounds_schedule(request, Mechanics::copy, all_to_all_program(request, true));
}

}  // namespace

extern const Algorithm pairwise_algorithm;
const Algorithm pairwise_algorithm{"pairwise", "all-to-all with one peer a round",
                                   pairwise_supports, plan_pairwise, counts_unfit};

}  // namespace dsim
