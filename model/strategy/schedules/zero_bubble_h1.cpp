// ZB-H1 of Qi et al. 2023, arXiv:2401.10241: the memory of 1F1B, a third of its bubble.
#include <algorithm>

#include "model/strategy/schedules/schedules.h"

namespace dsim::schedules {

Actions zero_bubble_h1(std::uint32_t ranks, std::uint32_t rank, std::int32_t micro_batches) {
  // Rank i warms up with p - i forward passes and keeps i weight gradients back, so that all ranks
  // hold p micro-batches and end at the same time.
  const auto p = static_cast<std::int32_t>(ranks), i = static_cast<std::int32_t>(rank);
  Actions actions;
  std::int32_t forwards = 0, weights = 0;
  const auto forward = [&] {
    if (forwards < micro_batches) actions.push_back({PipelineWork::forward, forwards++, 0});
  };
  while (forwards < std::min(p - i, micro_batches)) forward();
  for (std::int32_t backward = 0; backward < micro_batches; ++backward) {
    actions.push_back({PipelineWork::input_gradient, backward, 0});
    if (backward >= i) actions.push_back({PipelineWork::weight_gradient, weights++, 0});
    forward();
  }
  while (weights < micro_batches) actions.push_back({PipelineWork::weight_gradient, weights++, 0});
  return actions;
}

}  // namespace dsim::schedules
