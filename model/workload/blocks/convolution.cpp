#include "model/workload/blocks/convolution.h"

#include <utility>

#include "model/workload/blocks/linear.h"
#include "model/workload/kernels.h"

namespace dsim {
namespace {

Kernel convolution_kernel(std::string name, Pass pass, const GemmSize& shape, double bytes) {
  Kernel kernel = gemm_kernel(std::move(name), pass, shape, 0, 0);
  kernel.kind = KernelKind::conv;
  kernel.bytes = bytes;
  return kernel;
}

}  // namespace

Convolution declare_convolution(ModelBuilder& builder, std::string label, const std::string& path,
                                Convolution shape) {
  shape.label = std::move(label);
  shape.weight = builder.parameter(
      path + ".weight", {shape.outputs, shape.inputs / shape.groups, shape.kernel, shape.kernel});
  return shape;
}

FeatureMap append_convolution(ModelBuilder& builder, const Convolution& convolution,
                              const FeatureMap& input, const ConvolutionUse& use) {
  const auto& [label, weight, inputs, outputs, kernel, stride, groups] = convolution;
  const FeatureMap output{input.images, outputs, (input.side + stride - 1) / stride};
  const std::int64_t rows = output.images * output.side * output.side;
  const std::int64_t window = kernel * kernel;
  const double weights = product(builder.elements(weight));
  const double bytes = builder.activation_bytes() * product(input.elements()) +
                       builder.activation_bytes() * product(output.elements()) +
                       builder.operand_bytes() * weights;
  const GemmSize forward{rows, outputs / groups, inputs / groups * window, groups};

  Operation operation;
  append_weight_cast(builder, label, builder.elements(weight), 1, operation);
  operation.forward.push_back(convolution_kernel(label, Pass::forward, forward, bytes));
  operation.model_flops = forward.flops();
  if (use.keeps_input)
    operation.saved_bytes = builder.activation_bytes() * product(input.elements());
  if (use.input_gradient)
    operation.backward.push_back(
        convolution_kernel(label + ".dgrad", Pass::dgrad,
                           {input.images * input.side * input.side, inputs / groups,
                            outputs / groups * window / (stride * stride), groups},
                           bytes));
  append_weight_gradient(
      builder, label,
      convolution_kernel(label + ".wgrad", Pass::wgrad,
                         {outputs / groups, inputs / groups * window, rows, groups}, bytes),
      weight, true, operation);
  builder.append(std::move(operation));
  return output;
}

}  // namespace dsim
