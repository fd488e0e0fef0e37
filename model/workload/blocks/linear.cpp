#include "model/workload/blocks/linear.h"

#include <utility>

#include "model/workload/kernels.h"

namespace dsim {

Linear declare_linear(ModelBuilder& builder, std::string label, const std::string& path,
                      std::int64_t inputs, std::int64_t outputs, WeightLayout layout) {
  Linear linear;
  linear.label = std::move(label);
  linear.inputs = inputs;
  linear.outputs = outputs;
  linear.weight =
      builder.parameter(path + ".weight", layout == WeightLayout::out_in
                                              ? std::vector<std::int64_t>{outputs, inputs}
                                              : std::vector<std::int64_t>{inputs, outputs});
  linear.bias = builder.parameter(path + ".bias", {outputs});
  return linear;
}

void append_weight_cast(const ModelBuilder& builder, const std::string& label,
                        std::int64_t elements, int tensors, Operation& operation) {
  if (!builder.casts_weights()) return;
  // torch.autocast casts each fp32 leaf once a forward pass (pytorch
  // aten/src/ATen/autocast_mode.cpp, cached_cast): read 4 B, write the compute copy.
  operation.forward.push_back(memory_kernel(
      label + ".cast", Pass::forward, (4 + builder.operand_bytes()) * product(elements), tensors));
}

void append_weight_gradient(const ModelBuilder& builder, const std::string& label, Kernel wgrad,
                            ParameterId weight, bool completes, Operation& operation) {
  operation.backward.push_back(std::move(wgrad));
  if (builder.casts_weights())  // backward of the cast: 16-bit gradient to fp32
    operation.backward.push_back(
        memory_kernel(label + ".weight_gradient_cast", Pass::wgrad,
                      (builder.activation_bytes() + 4) * product(builder.elements(weight))));
  if (completes) operation.backward.back().completes.push_back(weight);
}

void append_linear(ModelBuilder& builder, const Linear& linear, const LinearUse& use) {
  const double e = builder.activation_bytes();
  const double operand = builder.operand_bytes();
  const auto& [label, weight, bias, inputs, outputs] = linear;
  const bool has_bias = bias.valid();
  Operation operation;

  append_weight_cast(builder, label, builder.elements(weight) + (has_bias ? outputs : 0),
                     has_bias ? 2 : 1, operation);
  // Eager addmm copies the bias into the output and lets the GEMM accumulate onto it (beta = 1):
  // written once, read once more. jit and compile add it in the epilogue or in the next kernel.
  if (has_bias && builder.fusion() == Fusion::eager)
    operation.forward.push_back(
        memory_kernel(label + ".bias", Pass::forward, 2 * e * product(use.rows, outputs)));
  const GemmSize shape{use.rows, outputs, inputs};
  operation.forward.push_back(gemm_kernel(label, Pass::forward, shape, operand, e));
  operation.model_flops = shape.flops();
  if (use.keeps_input) operation.saved_bytes = e * product(use.rows, inputs);

  operation.backward.push_back(
      gemm_kernel(label + ".dgrad", Pass::dgrad, {use.rows, inputs, outputs}, operand, e));
  // AddmmBackward hands the bias gradient over before that of the weight (which still passes
  // through the backward of the transpose), so the bias comes first in DDP's order of arrival.
  if (has_bias) {
    operation.backward.push_back(memory_kernel(label + ".bias_gradient", Pass::wgrad,
                                               e * product(use.rows, outputs),
                                               builder.casts_weights() ? 2 : 1));
    operation.backward.back().completes.push_back(bias);
  }
  append_weight_gradient(
      builder, label,
      gemm_kernel(label + ".wgrad", Pass::wgrad, {outputs, inputs, use.rows}, operand, e), weight,
      !use.tied_weight, operation);
  builder.append(std::move(operation));
}

}  // namespace dsim
