#include "model/strategy/megatron.h"

#include "model/strategy/megatron_step.h"
#include "model/strategy/pipeline_step.h"
#include "model/strategy/rank_classes.h"

namespace dsim {

Workload megatron_workload(const TrainingRequest& request) {
  const RankGrid grid(request.options.parallel, request.ranks);
  Workload workload;
  workload.classes = rank_classes(request, grid);
  SharedCalls calls(workload);
  const std::uint32_t stages = grid.parallelism().pipeline;
  if (stages == 1) {
    workload.programs.push_back(MegatronStep(request, grid, calls).write());
    return workload;
  }
  const PipelineLayout layout(request);
  const PipelineMessages messages(request, grid, layout, calls);
  for (std::uint32_t rank = 0; rank < stages; ++rank)
    workload.programs.push_back(PipelineStep(request, grid, layout, messages, calls, rank).write());
  return workload;
}

}  // namespace dsim
