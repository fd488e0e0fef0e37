#include "model/workload/blocks/lstm.h"

#include <fmt/format.h>

#include <utility>

#include "model/workload/blocks/linear.h"
#include "model/workload/kernels.h"

namespace dsim {
namespace {

// Passes of hidden elements of the fused pointwise kernel of a step. Forward: reads the four gates
// of inputs and of the hidden state and the cell, writes four activated gates, cell and hidden
// state. Backward: reads four gates, two cells, gradients of cell and hidden state, writes four
// gate gradients and that of the cell. Counted from the equations.
constexpr double forward_passes = 4 + 4 + 1 + 4 + 2;
constexpr double backward_passes = 4 + 2 + 2 + 4 + 1;
// What is kept: activated gates, cell, hidden state.
constexpr double kept_passes = 4 + 1 + 1;

void append_direction(const ModelBuilder& builder, const Lstm& lstm, std::int64_t batch,
                      std::int64_t steps, Operation& operation, std::vector<Kernel>& weights) {
  const double e = builder.activation_bytes(), operand = builder.operand_bytes();
  const std::int64_t h = lstm.hidden, rows = batch * steps, gates = 4 * h;
  const double pass = e * product(rows, h);
  const auto gemm = [&](const std::string& name, Pass pass_of, const GemmSize& size) {
    return gemm_kernel(lstm.label + name, pass_of, size, operand, e);
  };
  const GemmSize inputs{rows, gates, lstm.inputs}, hidden{batch, gates, h};
  operation.forward.push_back(gemm(".inputs", Pass::forward, inputs));
  operation.model_flops += inputs.flops() + product(steps) * hidden.flops();
  for (std::int64_t step = 0; step < steps; ++step)
    operation.forward.push_back(gemm(".hidden", Pass::forward, hidden));
  operation.forward.push_back(memory_kernel(lstm.label + ".gates", Pass::forward,
                                            forward_passes * pass, static_cast<int>(steps)));
  operation.saved_bytes += kept_passes * pass;

  operation.backward.push_back(memory_kernel(lstm.label + ".gates.backward", Pass::dgrad,
                                             backward_passes * pass, static_cast<int>(steps)));
  for (std::int64_t step = 0; step < steps; ++step)
    operation.backward.push_back(gemm(".hidden.dgrad", Pass::dgrad, {batch, h, gates}));
  operation.backward.push_back(gemm(".inputs.dgrad", Pass::dgrad, {rows, lstm.inputs, gates}));
  weights.push_back(gemm(".inputs.wgrad", Pass::wgrad, {gates, lstm.inputs, rows}));
  weights.push_back(gemm(".hidden.wgrad", Pass::wgrad, {gates, h, rows}));
  weights.push_back(memory_kernel(lstm.label + ".bias_gradient", Pass::wgrad, 4 * pass, 2));
}

}  // namespace

Lstm declare_lstm(ModelBuilder& builder, std::string label, const std::string& path,
                  const std::string& suffix, std::int64_t inputs, std::int64_t hidden) {
  const auto name = [&](const char* which) { return path + '.' + which + "_l0" + suffix; };
  Lstm lstm;
  lstm.label = std::move(label);
  lstm.inputs = inputs;
  lstm.hidden = hidden;
  lstm.weight_ih = builder.parameter(name("weight_ih"), {4 * hidden, inputs});
  lstm.weight_hh = builder.parameter(name("weight_hh"), {4 * hidden, hidden});
  lstm.bias_ih = builder.parameter(name("bias_ih"), {4 * hidden});
  lstm.bias_hh = builder.parameter(name("bias_hh"), {4 * hidden});
  return lstm;
}

void append_lstm(ModelBuilder& builder, const std::vector<Lstm>& directions, std::int64_t batch,
                 std::int64_t steps) {
  Operation operation;
  std::int64_t elements = 0;
  for (const Lstm& lstm : directions)
    for (const ParameterId id : {lstm.weight_ih, lstm.weight_hh, lstm.bias_ih, lstm.bias_hh})
      elements += builder.elements(id);
  const int tensors = 4 * static_cast<int>(directions.size());
  append_weight_cast(builder, directions.front().label, elements, tensors, operation);
  std::vector<Kernel> weights;
  for (const Lstm& lstm : directions)
    append_direction(builder, lstm, batch, steps, operation, weights);
  operation.saved_bytes +=
      builder.activation_bytes() * product(batch, steps, directions.front().inputs);
  for (Kernel& kernel : weights) operation.backward.push_back(std::move(kernel));
  if (builder.casts_weights())
    operation.backward.push_back(
        memory_kernel(directions.front().label + ".weight_gradient_cast", Pass::wgrad,
                      (builder.activation_bytes() + 4) * product(elements), tensors));
  for (const Lstm& lstm : directions)
    for (const ParameterId id : {lstm.weight_ih, lstm.weight_hh, lstm.bias_ih, lstm.bias_hh})
      operation.backward.back().completes.push_back(id);
  builder.append(std::move(operation));
}

}  // namespace dsim
