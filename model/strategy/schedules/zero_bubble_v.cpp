// ZB-V of Qi et al. 2023, arXiv:2401.10241, in its form for equal costs.
#include "model/strategy/schedules/schedules.h"

#include <algorithm>
#include <array>

namespace dsim::schedules {
namespace {

/// Writes the next pass of each kind and chunk, if its micro-batch exists.
class Writer {
 public:
  explicit Writer(std::int32_t micro_batches) : micro_batches_(micro_batches) {}
  void forward(int chunk) { next(PipelineWork::forward, chunk, forwards_); }
  void input(int chunk) { next(PipelineWork::input_gradient, chunk, inputs_); }
  void weight(int chunk) { next(PipelineWork::weight_gradient, chunk, weights_); }
  void backward(int chunk) {
    input(chunk);
    weight(chunk);
  }
  std::int32_t forwards(std::size_t chunk) const { return forwards_[chunk]; }
  std::int32_t weights_left(std::size_t chunk) const { return inputs_[chunk] - weights_[chunk]; }
  Actions take() { return std::move(actions_); }

 private:
  void next(PipelineWork work, int chunk, std::array<std::int32_t, 2>& counts) {
    const std::int32_t micro_batch = counts[static_cast<std::size_t>(chunk)]++;
    if (micro_batch < micro_batches_) actions_.push_back({work, micro_batch, chunk});
  }

  std::int32_t micro_batches_;
  std::array<std::int32_t, 2> forwards_{}, inputs_{}, weights_{};
  Actions actions_;
};

}  // namespace

Actions zero_bubble_v(std::uint32_t ranks, std::uint32_t rank, std::int32_t micro_batches) {
  const auto p = static_cast<std::int32_t>(ranks), i = static_cast<std::int32_t>(rank);
  // Fewer than fill the pipe: the order of that many, without those that do not exist.
  const std::int32_t m = std::max(micro_batches, 2 * p - 1);
  Writer writer(micro_batches);

  // Until the first micro-batch comes back down, forward passes of the first half only.
  for (std::int32_t k = 0; k < 2 * (p - i) - 1; ++k) writer.forward(0);
  for (std::int32_t k = 0; k < i; ++k) {
    writer.forward(1);
    writer.forward(0);
  }
  for (std::int32_t k = 0; k < p - i; ++k) {
    writer.forward(1);
    writer.backward(1);
  }
  while (writer.forwards(0) < m || writer.forwards(1) < m) {
    if (writer.forwards(0) < m) writer.forward(0);
    writer.backward(0);
    writer.forward(1);
    writer.backward(1);
  }
  // Input gradients that other ranks wait for go first; weight gradients fill the end.
  for (std::int32_t k = 0; k < i; ++k) {
    writer.input(0);
    writer.input(1);
  }
  for (std::int32_t k = 0; k < p - i; ++k) {
    writer.input(0);
    writer.weight(0);
  }
  while (writer.weights_left(1) > 0) writer.weight(1);
  while (writer.weights_left(0) > 0) writer.weight(0);
  return writer.take();
}

}  // namespace dsim::schedules
