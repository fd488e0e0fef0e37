#include <algorithm>

#include "model/collective/algorithm.h"
#include "model/collective/all_to_all_rounds.h"
#include "model/collective/round_stages.h"

namespace dsim {

namespace {

bool bruck_supports(CollectiveOp op) {
  return op == CollectiveOp::all_to_all || op == CollectiveOp::all_gather ||
         op == CollectiveOp::barrier;
}

std::string bruck_unfit(const PlanRequest& request) { return unequal_unfit(request, "bruck"); }

// In round k every rank sends to the rank h = 2^k after it:
//   all_gather: all it has, at most what is missing;
//   all_to_all: the blocks whose way (d places) has bit k set, so that each takes popcount(d) hops;
//   barrier:    nothing but the message (dissemination).
Schedule plan_bruck(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  const CollectiveOp op = request.op;
  Stage stage;
  stage.phases.assign(log2_up(n), 1);
  stage.transfers = [n, op](std::uint32_t round, std::vector<Transfer>& out) {
    const std::uint32_t h = 1u << round;
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const std::uint32_t to = rank < n - h ? rank + h : rank - (n - h);
      if (op == CollectiveOp::all_gather) {
        const std::uint32_t count = std::min(h, n - h);
        out.push_back({rank, to, (rank + 1 + (n - count)) % n, count, false});
      } else if (op == CollectiveOp::all_to_all) {
        for (std::uint64_t d = h; d < n; d += 2 * std::uint64_t{h})
          out.push_back({rank, to, static_cast<std::uint32_t>(d),
                         std::min(h, n - static_cast<std::uint32_t>(d)), false});
        if (round == 0) out.push_back({rank, rank, 0, 1, false});
      } else {
        out.push_back({rank, to, 0, 1, true});
      }
    }
  };
  std::vector<Stage> stages;
  stages.push_back(std::move(stage));
  RoundProgram program = in_sequence(op == CollectiveOp::barrier ? 1 : n, std::move(stages));
  if (op == CollectiveOp::barrier) program = without_bytes(std::move(program));
  return rounds_schedule(request, Mechanics::blocks, std::move(program));
}

}  // namespace

extern const Algorithm bruck_algorithm;
const Algorithm bruck_algorithm{"bruck",
                                "messages to ranks 1, 2, 4, ... ahead; any number of ranks",
                                bruck_supports, plan_bruck, bruck_unfit};

}  // namespace dsim
