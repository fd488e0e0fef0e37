// DualPipe of the DeepSeek-V3 report, arXiv:2412.19437, section 3.2.1 and figure 5.
#include <algorithm>
#include <array>
#include <deque>

#include "model/strategy/schedules/schedules.h"

namespace dsim::schedules {
namespace {

enum class Step : std::uint8_t { forward, backward, input, weight, pair };

/// One step of a phase. `way`: 0 = micro-batches that enter at the rank's own half of the ranks, 1
/// = the others. A pair is a forward pass of `way` beside a backward pass of the other.
struct Move {
  Step step;
  std::size_t way;
};

class Writer {
 public:
  Writer(bool second_half, std::int32_t each_way)
      : flip_(second_half ? 1 : 0), each_way_(each_way) {}

  void operator()(Move move) {
    switch (move.step) {
      case Step::forward:
        return next(PipelineWork::forward, move.way, forwards_);
      case Step::backward:
        return next(PipelineWork::backward, move.way, backwards_);
      case Step::input:
        held_back_.push_back(
            {PipelineWork::weight_gradient, micro_batch(move.way, backwards_), chunk(move.way)});
        return next(PipelineWork::input_gradient, move.way, backwards_);
      case Step::weight:
        actions_.push_back(held_back_.front());
        return held_back_.pop_front();
      case Step::pair:
        next(PipelineWork::forward, move.way, forwards_);
        actions_.back().beside_next = true;
        return next(PipelineWork::backward, 1 - move.way, backwards_);
    }
  }
  Actions take() { return std::move(actions_); }

 private:
  using Counts = std::array<std::int32_t, 2>;

  std::int32_t chunk(std::size_t way) const { return static_cast<std::int32_t>(way ^ flip_); }
  /// Micro-batches of direction 1 are numbered after those of direction 0.
  std::int32_t micro_batch(std::size_t way, const Counts& counts) const {
    return counts[way] + chunk(way) * each_way_;
  }
  void next(PipelineWork work, std::size_t way, Counts& counts) {
    actions_.push_back({work, micro_batch(way, counts), chunk(way)});
    ++counts[way];
  }

  std::size_t flip_;
  std::int32_t each_way_;
  Counts forwards_{}, backwards_{};
  std::deque<PipelineAction> held_back_;
  Actions actions_;
};

}  // namespace

Actions dual_pipe(std::uint32_t ranks, std::uint32_t rank, std::int32_t micro_batches) {
  const auto p = static_cast<std::int32_t>(ranks), r = static_cast<std::int32_t>(rank);
  const std::int32_t half = p / 2, depth = std::min(r, p - 1 - r);  // from the near end
  const std::int32_t each_way = micro_batches / 2;
  const std::int32_t to_middle = half - depth - 1;
  Writer write(r >= half, each_way);

  // Fill: own direction first, then both; backward passes of the other direction make room.
  for (std::int32_t i = 0; i < 2 * to_middle; ++i) write({Step::forward, 0});
  for (std::int32_t i = 0; i < depth + 1; ++i) {
    write({Step::forward, 0});
    write({Step::forward, 1});
  }
  for (std::int32_t i = 0; i < to_middle; ++i) {
    write({Step::input, 1});
    write({Step::weight, 1});
    write({Step::forward, 1});
  }
  // Steady: a forward pass of one direction beside a backward pass of the other. The two ranks in
  // the middle run the first of them apart, which keeps the pipe shorter.
  for (std::int32_t i = 0; i < each_way - p + depth + 1; ++i) {
    if (i == 0 && to_middle == 0) {
      write({Step::forward, 0});
      write({Step::backward, 1});
    } else {
      write({Step::pair, 0});
    }
    write({Step::pair, 1});
  }
  // Drain; weight gradients of the second part are held back to fill the end.
  for (std::int32_t i = 0; i < to_middle; ++i) {
    write({Step::backward, 1});
    write({Step::pair, 1});
  }
  for (std::int32_t i = 0; i < 2 * (depth + 1); ++i)
    write({i < depth + 1 ? Step::backward : Step::input, i % 2 == 0 ? 1U : 0U});
  for (std::int32_t i = 0; i < to_middle; ++i) {
    write({Step::weight, 0});
    write({Step::input, 0});
  }
  for (std::int32_t i = 0; i < depth + 1; ++i) write({Step::weight, 0});
  return write.take();
}

}  // namespace dsim::schedules
