#include "model/collective/algorithm.h"
#include "model/collective/round_stages.h"

namespace dsim {

namespace {

bool pat_supports(CollectiveOp op) {
  return op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
}

// Parallel aggregated trees: Bruck's rounds in reverse, so that the far messages are the small
// ones. all_gather: in the round of distance h every rank passes on the blocks that have come from
// multiples of 2h away; reduce_scatter is the same backwards, adding.
Schedule plan_pat(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size(), rounds = log2_up(n);
  const bool scatter = request.op == CollectiveOp::reduce_scatter;
  Stage stage;
  stage.phases.assign(rounds, 1);
  stage.transfers = [=](std::uint32_t round, std::vector<Transfer>& out) {
    const std::uint32_t h = 1u << (scatter ? round : rounds - 1 - round);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const std::uint32_t ahead = rank < n - h ? rank + h : rank - (n - h);
      for (std::uint64_t way = 0; way + h < n; way += 2 * std::uint64_t{h}) {
        const auto back = static_cast<std::uint32_t>(way);
        const std::uint32_t block = rank >= back ? rank - back : rank + (n - back);
        if (scatter)
          out.push_back({ahead, rank, block, 1, true});
        else
          out.push_back({rank, ahead, block, 1, false});
      }
    }
  };
  std::vector<Stage> stages;
  stages.push_back(std::move(stage));
  return rounds_schedule(request, Mechanics::pat, in_sequence(n, std::move(stages)));
}

}  // namespace

extern const Algorithm pat_algorithm;
const Algorithm pat_algorithm{
    "pat", "parallel aggregated trees: log2(n) rounds, far messages small", pat_supports, plan_pat};

}  // namespace dsim
