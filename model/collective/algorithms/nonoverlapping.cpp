#include "model/collective/algorithm.h"
#include "model/collective/rooted_stages.h"

namespace dsim {

namespace {

bool nonoverlapping_supports(CollectiveOp op) { return op == CollectiveOp::all_reduce; }

// Open MPI's: a reduce to rank 0, then a broadcast from it, both along binomial trees.
Schedule plan_nonoverlapping(const PlanRequest& request) {
  const Rooted rooted{.ranks = request.communicator->size()};
  std::vector<Stage> stages;
  stages.push_back(binomial_in(rooted));
  stages.push_back(binomial_out(rooted));
  return rounds_schedule(request, Mechanics::blocks, in_sequence(1, std::move(stages)));
}

}  // namespace

extern const Algorithm nonoverlapping_algorithm;
const Algorithm nonoverlapping_algorithm{"nonoverlapping",
                                         "a reduce, then a broadcast, along binomial trees",
                                         nonoverlapping_supports, plan_nonoverlapping};

}  // namespace dsim
