#include "model/collective/algorithm.h"
#include "model/collective/all_to_all_rounds.h"
#include "model/collective/rooted_stages.h"

namespace dsim {

namespace {

bool linear_supports(CollectiveOp op) { return op != CollectiveOp::sendrecv; }

bool collects(CollectiveOp op) {
  return op != CollectiveOp::broadcast && op != CollectiveOp::scatter;
}
bool hands_out(CollectiveOp op) { return op != CollectiveOp::reduce && op != CollectiveOp::gather; }

// Everything through the root (rank 0 where the operation has none), which talks to all others at
// once: in with the whole vector or a rank's own block, out likewise. An all-to-all goes straight
// to all.
Schedule plan_linear(const PlanRequest& request) {
  const CollectiveOp op = request.op;
  if (op == CollectiveOp::all_to_all)
    return rounds_schedule(request, Mechanics::blocks, all_to_all_program(request, false));
  const std::uint32_t n = request.communicator->size();
  const bool own_in = op == CollectiveOp::gather || op == CollectiveOp::all_gather;
  const bool own_out = op == CollectiveOp::scatter || op == CollectiveOp::reduce_scatter;
  const std::uint32_t blocks = own_in || own_out ? n : 1;
  Rooted rooted{.ranks = n, .root = request.root, .own_blocks = false};
  if (collects(op) && hands_out(op)) rooted.root = 0;
  // Messages of all blocks, where the other way has own ones.
  const auto widened = [blocks](Stage stage) {
    return single_round([round = std::move(stage.transfers), blocks](std::vector<Transfer>& out) {
      round(0, out);
      for (Transfer& transfer : out) transfer.block_count = blocks;
    });
  };
  std::vector<Stage> stages;
  rooted.own_blocks = own_in;
  if (collects(op)) stages.push_back(own_in ? star_in(rooted) : widened(star_in(rooted)));
  rooted.own_blocks = own_out;
  if (hands_out(op)) stages.push_back(own_out ? star_out(rooted) : widened(star_out(rooted)));
  RoundProgram program = in_sequence(blocks, std::move(stages));
  if (op == CollectiveOp::barrier) program = without_bytes(std::move(program));
  return rounds_schedule(request, Mechanics::blocks, std::move(program));
}

}  // namespace

extern const Algorithm linear_algorithm;
const Algorithm linear_algorithm{"linear", "all ranks to and from the root at once",
                                 linear_supports, plan_linear, counts_unfit};

}  // namespace dsim
