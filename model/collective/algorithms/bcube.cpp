#include "model/collective/algorithm.h"
#include "model/collective/round_stages.h"

namespace dsim {

namespace {

bool bcube_supports(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather ||
         op == CollectiveOp::reduce_scatter;
}

// A hypercube of base B: ranks written with digits; a round is an exchange among the B ranks that
// differ in one digit. Gloo wants n = B^k with B = 2 by default; here each prime factor of n is the
// base of a digit, so that any n has its cube.
Schedule plan_bcube(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  const std::vector<std::uint32_t> bases = prime_factors(n);
  std::vector<Stage> stages;
  if (request.op != CollectiveOp::all_gather)
    stages.push_back(mixed_radix_reduce_scatter(everyone(n), bases));
  if (request.op != CollectiveOp::reduce_scatter)
    stages.push_back(mixed_radix_all_gather(everyone(n), bases));
  return rounds_schedule(request, Mechanics::blocks, in_sequence(n, std::move(stages)));
}

}  // namespace

extern const Algorithm bcube_algorithm;
const Algorithm bcube_algorithm{
    "bcube", "Gloo's: exchange among the ranks that differ in one digit, digit by digit",
    bcube_supports, plan_bcube};

}  // namespace dsim
