#include "model/collective/algorithm.h"
#include "model/collective/round_stages.h"

namespace dsim {

namespace {

bool recursive_doubling_supports(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather ||
         op == CollectiveOp::barrier;
}

// Ranks 2i and 2i + 1 are merged for as many pairs as n exceeds a power of two; 2i takes part for
// both:
//   0 1 2 3 4      1 -> 0;  {0, 2, 3, 4}: 0 <-> 2, 3 <-> 4;  0 <-> 3, 2 <-> 4;  0 -> 1
Schedule plan_recursive_doubling(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  const bool gather = request.op == CollectiveOp::all_gather;
  Teams teams = everyone(n);
  Teams core = survivors(teams);
  const std::uint32_t merged = n - core.size;
  if (gather)  // a survivor owns its own block and that of the rank it speaks for
    core.first_block = [merged](std::uint32_t, std::uint32_t member) {
      return member < merged ? 2 * member : member + merged;
    };
  else  // one block, whatever the range of members
    core.first_block = [size = core.size](std::uint32_t, std::uint32_t member) {
      return member == size ? 1u : 0u;
    };
  const std::uint32_t blocks = gather ? n : 1;
  std::vector<Stage> stages;
  if (merged > 0)
    stages.push_back(single_round([=](std::vector<Transfer>& out) {
      for (std::uint32_t i = 0; i < merged; ++i)
        out.push_back({2 * i + 1, 2 * i, gather ? 2 * i + 1 : 0, 1, !gather});
    }));
  stages.push_back(gather ? doubling_all_gather(core) : doubling_all_reduce(core));
  if (merged > 0)
    stages.push_back(single_round([=](std::vector<Transfer>& out) {
      for (std::uint32_t i = 0; i < merged; ++i)
        out.push_back({2 * i, 2 * i + 1, 0, blocks, false});
    }));
  RoundProgram program = in_sequence(blocks, std::move(stages));
  if (request.op == CollectiveOp::barrier) program = without_bytes(std::move(program));
  return rounds_schedule(request, Mechanics::blocks, std::move(program));
}

}  // namespace

extern const Algorithm recursive_doubling_algorithm;
const Algorithm recursive_doubling_algorithm{
    "recursive_doubling", "whole vectors exchanged with ranks 1, 2, 4, ... away: fewest rounds",
    recursive_doubling_supports, plan_recursive_doubling};

}  // namespace dsim
