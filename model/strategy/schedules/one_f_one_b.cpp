// 1F1B and its interleaved form: Narayanan et al. 2021, arXiv:2104.04473.
#include <algorithm>

#include "model/strategy/schedules/schedules.h"

namespace dsim::schedules {
namespace {

/// Runs `passes` forward and as many backward passes; `warm_up` forward passes come first.
template <class Forward, class Backward>
Actions in_turn(std::int32_t passes, std::int32_t warm_up, Forward forward, Backward backward) {
  warm_up = std::min(warm_up, passes);
  Actions actions;
  actions.reserve(2 * static_cast<std::size_t>(passes));
  for (std::int32_t i = 0; i < warm_up; ++i) actions.push_back(forward(i));
  for (std::int32_t i = warm_up; i < passes; ++i) {
    actions.push_back(forward(i));
    actions.push_back(backward(i - warm_up));
  }
  for (std::int32_t i = passes - warm_up; i < passes; ++i) actions.push_back(backward(i));
  return actions;
}

}  // namespace

Actions one_f_one_b(std::uint32_t ranks, std::uint32_t rank, std::int32_t micro_batches) {
  return in_turn(
      micro_batches, static_cast<std::int32_t>(ranks - rank - 1),
      [](std::int32_t i) {
        return PipelineAction{PipelineWork::forward, i, 0};
      },
      [](std::int32_t i) {
        return PipelineAction{PipelineWork::backward, i, 0};
      });
}

Actions interleaved(std::uint32_t ranks, std::uint32_t rank, std::uint32_t chunks,
                    std::int32_t micro_batches) {
  // A round takes as many micro-batches as there are ranks through all chunks.
  const auto p = static_cast<std::int32_t>(ranks), v = static_cast<std::int32_t>(chunks);
  const auto micro_batch = [p, v](std::int32_t pass) { return pass / (p * v) * p + pass % p; };
  const auto chunk = [p, v](std::int32_t pass) { return pass / p % v; };
  const std::int32_t warm_up = 2 * (p - static_cast<std::int32_t>(rank) - 1) + (v - 1) * p;
  return in_turn(
      micro_batches * v, warm_up,
      [&](std::int32_t i) {
        return PipelineAction{PipelineWork::forward, micro_batch(i), chunk(i)};
      },
      [&](std::int32_t i) {
        return PipelineAction{PipelineWork::backward, micro_batch(i), v - 1 - chunk(i)};
      });
}

}  // namespace dsim::schedules
