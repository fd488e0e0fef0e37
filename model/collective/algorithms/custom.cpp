#include <fmt/format.h>

#include "model/collective/algorithm.h"
#include "model/collective/custom_program.h"
#include "model/collective/round_stages.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

// Any: a file says which.
bool custom_supports(CollectiveOp) { return true; }

std::string custom_unfit(const PlanRequest& request) {
  const CustomProgram* program = request.custom;
  if (!program) return "custom needs a program from a file";
  if (program->op != request.op)
    return fmt::format("{} is for {}, not {}", program->name, name_of(program->op),
                       name_of(request.op));
  if (program->ranks != request.communicator->size())
    return fmt::format("{} is for {} ranks, not {}", program->name, program->ranks,
                       request.communicator->size());
  const bool rooted = request.op == CollectiveOp::broadcast || request.op == CollectiveOp::reduce ||
                      request.op == CollectiveOp::gather || request.op == CollectiveOp::scatter;
  if (rooted && program->root != request.root)
    return fmt::format("{} has root {}, not {}", program->name, program->root, request.root);
  if (!request.counts.empty()) return fmt::format("{} has equal parts", program->name);
  return "";
}

Schedule plan_custom(const PlanRequest& request) {
  require(custom_unfit(request).empty(), "a custom program must fit before it is planned");
  return rounds_schedule(request, Mechanics::blocks, round_program(*request.custom));
}

}  // namespace

extern const Algorithm custom_algorithm;
const Algorithm custom_algorithm{"custom", "rounds from a file: dsim.program/1 or MSCCL XML",
                                 custom_supports, plan_custom, custom_unfit};

}  // namespace dsim
