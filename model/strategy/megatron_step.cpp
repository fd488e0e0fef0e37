#include "model/strategy/megatron_step.h"

#include <algorithm>

namespace dsim {

namespace {

/// More micro-batches than these repeat the second one: the first may wait for parameters, the last
/// one reduces.
constexpr std::int64_t simulated_micro_batches = 3;

std::vector<GradientOwner> all_layers(StepWriter& writer) {
  const Parallelism& p = writer.grid().parallelism();
  GradientOwner owner;
  owner.layers = {0, writer.model().layers.size()};
  owner.dense = writer.data_family();
  owner.expert = writer.expert_data_family();
  owner.dense_ranks = static_cast<double>(p.data) * p.context;
  owner.expert_ranks = owner.dense_ranks * p.tensor / (p.expert * p.expert_tensor);
  return {owner};
}

}  // namespace

double main_gradient_bytes(const TrainingRequest& request, const GradientExchange& exchange) {
  if (request.options.fused_gradient_accumulation) return 0;
  return gradient_element_bytes_of(request) + 2 * exchange.gradient_bytes;
}

MegatronStep::MegatronStep(const TrainingRequest& request, const RankGrid& grid,
                           SharedCalls& calls)
    : request_(request),
      writer_(request, grid, calls),
      gradients_(writer_,
                 gradient_exchange(request, grid.parallelism().data * grid.parallelism().context),
                 all_layers(writer_)) {
  if (gradients_.exchange().main_gradients)
    writer_.set_accumulation_bytes(main_gradient_bytes(request, gradients_.exchange()));
}

Program MegatronStep::write() {
  const std::int64_t micro_batches = request_.options.accumulate;
  const std::int64_t left_out = std::max<std::int64_t>(0, micro_batches - simulated_micro_batches);
  gradients_.begin_step();
  for (std::int64_t i = 0; i + 1 < std::min(micro_batches, simulated_micro_batches); ++i) {
    const TaskId before = writer_.last_compute();
    micro_batch(i, false);
    if (i == 1 && left_out > 0) writer_.repeat(left_out, before);
  }
  micro_batch(micro_batches - 1, true);
  const Parallelism& p = writer_.grid().parallelism();
  gradients_.finish();
  if (p.sequence) gradients_.sequence_parallel_norms();
  gradients_.update(p.tensor > 1 || p.expert > 1);
  return writer_.finish();
}

void MegatronStep::micro_batch(std::int64_t index, bool last) {
  writer_.host_work(2 * writer_.request().host->micro_batch);
  writer_.begin_micro_batch();
  const std::size_t layers = writer_.model().layers.size();
  for (std::size_t layer = 0; layer < layers; ++layer) {
    if (index == 0) gradients_.before_forward(layer);
    writer_.forward(layer);
  }
  BackwardPass pass;
  pass.accumulate = index > 0 || gradients_.exchange().main_gradients;
  if (last) pass.gradient_ready = [this](ParameterId p) { gradients_.gradient_ready(p); };
  for (std::size_t layer = layers; layer-- > 0;) writer_.backward(layer, pass);
}

}  // namespace dsim
