#include "model/collective/algorithm.h"
#include "model/collective/rooted_stages.h"

namespace dsim {

namespace {

bool binomial_supports(CollectiveOp op) {
  return op == CollectiveOp::broadcast || op == CollectiveOp::reduce ||
         op == CollectiveOp::gather || op == CollectiveOp::scatter || op == CollectiveOp::barrier;
}

// A binomial tree below the root: places 0..n-1 from the root on, the parent of a place is the
// place without its lowest bit.
Schedule plan_binomial(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  const bool own = request.op == CollectiveOp::gather || request.op == CollectiveOp::scatter;
  const Rooted rooted{.ranks = n, .root = request.root, .own_blocks = own};
  std::vector<Stage> stages;
  if (request.op != CollectiveOp::broadcast && request.op != CollectiveOp::scatter)
    stages.push_back(binomial_in(rooted));
  if (request.op != CollectiveOp::reduce && request.op != CollectiveOp::gather)
    stages.push_back(binomial_out(rooted));
  RoundProgram program = in_sequence(own ? n : 1, std::move(stages));
  if (request.op == CollectiveOp::barrier) program = without_bytes(std::move(program));
  return rounds_schedule(request, Mechanics::blocks, std::move(program));
}

}  // namespace

extern const Algorithm binomial_algorithm;
const Algorithm binomial_algorithm{"binomial", "a binomial tree below the root", binomial_supports,
                                   plan_binomial};

}  // namespace dsim
