// Huang et al. 2019, arXiv:1811.06965.
#include "model/strategy/schedules/schedules.h"

namespace dsim::schedules {

Actions gpipe(std::int32_t micro_batches) {
  Actions actions;
  for (std::int32_t i = 0; i < micro_batches; ++i)
    actions.push_back({.work = PipelineWork::forward, .micro_batch = i});
  for (std::int32_t i = 0; i < micro_batches; ++i)
    actions.push_back({.work = PipelineWork::backward, .micro_batch = i});
  return actions;
}

}  // namespace dsim::schedules
