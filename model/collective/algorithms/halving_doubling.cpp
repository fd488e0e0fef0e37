#include "model/collective/algorithm.h"
#include "model/collective/round_stages.h"

namespace dsim {

namespace {

bool halving_doubling_supports(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather ||
         op == CollectiveOp::reduce_scatter;
}

// Rabenseifner: in round r of the reduce-scatter a rank gives half of its range to the rank half as
// far away as before; the all-gather goes the same way back. Where n is no power of two, pairs are
// merged first and told the result at the end.
Schedule plan_halving_doubling(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  const Teams teams = everyone(n);
  if (request.op == CollectiveOp::all_reduce)
    return rounds_schedule(request, Mechanics::blocks,
                           in_sequence(power_of_two_below(n), halving_doubling_all_reduce(teams)));
  const bool scatter = request.op == CollectiveOp::reduce_scatter;
  Teams core = survivors(teams);
  const std::uint32_t merged = n - core.size;
  core.first_block = [merged](std::uint32_t, std::uint32_t member) {
    return member < merged ? 2 * member : member + merged;
  };
  // Rank 2i + 1 hands in what 2i is to work on for it, and gets its result.
  const auto pairs = [merged](bool hand_in, std::uint32_t first, std::uint32_t count, bool reduce) {
    return single_round([=](std::vector<Transfer>& out) {
      for (std::uint32_t i = 0; i < merged; ++i) {
        const std::uint32_t block = count == 1 ? 2 * i + 1 : first;
        if (hand_in)
          out.push_back({2 * i + 1, 2 * i, block, count, reduce});
        else
          out.push_back({2 * i, 2 * i + 1, block, count, reduce});
      }
    });
  };
  std::vector<Stage> stages;
  if (merged > 0) stages.push_back(pairs(true, 0, scatter ? n : 1, scatter));
  stages.push_back(scatter ? halving_reduce_scatter(core) : doubling_all_gather(core));
  if (merged > 0) stages.push_back(pairs(false, 0, scatter ? 1 : n, false));
  return rounds_schedule(request, Mechanics::blocks, in_sequence(n, std::move(stages)));
}

}  // namespace

extern const Algorithm halving_doubling_algorithm;
const Algorithm halving_doubling_algorithm{
    "halving_doubling", "Rabenseifner: halves of halves reduced, then gathered the same way back",
    halving_doubling_supports, plan_halving_doubling};

}  // namespace dsim
