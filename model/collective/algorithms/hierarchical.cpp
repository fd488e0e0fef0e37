#include "model/collective/algorithm.h"
#include "model/collective/node_grid.h"
#include "model/collective/round_stages.h"

namespace dsim {

namespace {

bool hierarchical_supports(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather ||
         op == CollectiveOp::reduce_scatter;
}

std::string hierarchical_unfit(const PlanRequest& request) {
  return node_grid(*request.communicator).width == 0
             ? "hierarchical needs as many ranks on every node of the communicator"
             : "";
}

// Reduce-scatter inside every node, all-reduce of each shard among the ranks with the same place in
// their nodes, all-gather inside every node. Inside a ring, between nodes halving-doubling, which
// is what MPI does with large vectors there.
Schedule plan_hierarchical(const PlanRequest& request) {
  const NodeGrid grid = node_grid(*request.communicator);
  std::vector<Stage> stages;
  if (request.op == CollectiveOp::all_reduce) {
    const std::uint32_t parts = power_of_two_below(grid.height);
    stages.push_back(ring_reduce_scatter(grid.rows(parts)));
    for (Stage& stage : halving_doubling_all_reduce(grid.columns(parts)))
      stages.push_back(std::move(stage));
    stages.push_back(ring_all_gather(grid.rows(parts)));
    return rounds_schedule(request, Mechanics::blocks,
                           in_sequence(grid.width * parts, std::move(stages)));
  }
  if (request.op == CollectiveOp::reduce_scatter) {
    stages.push_back(ring_reduce_scatter(grid.rows(grid.height)));
    stages.push_back(ring_reduce_scatter(grid.columns(grid.height)));
  } else {
    stages.push_back(ring_all_gather(grid.columns(grid.height)));
    stages.push_back(ring_all_gather(grid.rows(grid.height)));
  }
  RoundProgram program = in_sequence(grid.width * grid.height, std::move(stages));
  program.owners = grid.owners();
  return rounds_schedule(request, Mechanics::blocks, std::move(program));
}

}  // namespace

extern const Algorithm hierarchical_algorithm;
const Algorithm hierarchical_algorithm{
    "hierarchical", "reduce-scatter in nodes, all-reduce between equal places, all-gather in nodes",
    hierarchical_supports, plan_hierarchical, hierarchical_unfit};

}  // namespace dsim
