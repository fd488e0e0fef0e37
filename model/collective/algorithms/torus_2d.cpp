#include "model/collective/algorithm.h"
#include "model/collective/node_grid.h"
#include "model/collective/round_stages.h"

namespace dsim {

namespace {

bool torus_2d_supports(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather ||
         op == CollectiveOp::reduce_scatter;
}

std::string torus_2d_unfit(const PlanRequest& request) {
  const NodeGrid grid = torus_grid(*request.communicator);
  return grid.width < 2 || grid.height < 2
             ? "torus_2d needs ranks that form at least two rows and two columns"
             : "";
}

// Ring reduce-scatter along the rows (nodes, where they are equal), ring all-reduce along the
// columns, ring all-gather along the rows.
Schedule plan_torus_2d(const PlanRequest& request) {
  const NodeGrid grid = torus_grid(*request.communicator);
  const Teams rows = grid.rows(grid.height), columns = grid.columns(grid.height);
  std::vector<Stage> stages;
  if (request.op != CollectiveOp::all_gather) {
    stages.push_back(ring_reduce_scatter(rows));
    stages.push_back(ring_reduce_scatter(columns));
  }
  if (request.op != CollectiveOp::reduce_scatter) {
    stages.push_back(ring_all_gather(columns));
    stages.push_back(ring_all_gather(rows));
  }
  RoundProgram program = in_sequence(grid.width * grid.height, std::move(stages));
  program.owners = grid.owners();
  return rounds_schedule(request, Mechanics::blocks, std::move(program));
}

}  // namespace

extern const Algorithm torus_2d_algorithm;
const Algorithm torus_2d_algorithm{"torus_2d",
                                   "rings along the rows, then along the columns of a 2-D torus",
                                   torus_2d_supports, plan_torus_2d, torus_2d_unfit};

}  // namespace dsim
