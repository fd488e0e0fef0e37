#include "model/strategy/zero.h"

#include <fmt/format.h>

#include "model/strategy/rank_classes.h"
#include "model/strategy/zero3_step.h"
#include "model/strategy/zero_step.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

void check(const TrainingRequest& request, const RankGrid& grid) {
  const ZeroOptions& zero = request.options.zero;
  if (grid.parallelism().pipeline > 1)
    throw InputError(
        "ZeRO stages 2 and 3 cannot run with pipeline stages: gradients of a micro-batch are "
        "partitioned before the next one adds to them; DeepSpeed allows stage 1 only");
  if (request.options.accumulate < 1)
    throw InputError(fmt::format("cannot accumulate over {} micro-batches; at least 1 is needed",
                                 request.options.accumulate));
  const auto positive = [](std::int64_t elements, const char* what) {
    if (elements < 1)
      throw InputError(fmt::format("{} of {} elements: at least 1 is needed", what, elements));
  };
  positive(zero.reduce_bucket_elements, "a reduce bucket");
  positive(zero.gather_bucket_elements, "a gather bucket");
  if (zero.prefetch_elements < 0 || zero.persistent_elements < 0)
    throw InputError("ZeRO-3 cannot prefetch or keep a negative number of elements");
}

}  // namespace

Workload zero_workload(const TrainingRequest& request) {
  require(request.model && request.gpu && request.compute && request.host && request.optimizer,
          "a training request names its model, GPU, constants and optimizer");
  const RankGrid grid(request.options.parallel, request.ranks);
  check(request, grid);
  Workload workload;
  workload.classes = rank_classes(request, grid);
  SharedCalls calls(workload);
  StepWriter writer(request, grid, calls);
  const ZeroGroups groups = zero_groups(writer);
  if (request.options.strategy == Strategy::zero3)
    workload.programs.push_back(
        Zero3Step(writer, groups,
                  zero3_trace(*request.model, request.options.zero, groups[1].elements > 0))
            .write());
  else
    workload.programs.push_back(ZeroStep(writer, groups).write());
  return workload;
}

}  // namespace dsim
