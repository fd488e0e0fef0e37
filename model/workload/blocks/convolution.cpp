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

/// Tensor cores want NHWC. tf32 networks are NCHW unless torch.compile lays them out, so cuDNN
/// transposes both activations of every convolution (NVIDIA cuDNN legacy API reference, "Tensor
/// Transformations"). It may find a kernel without for some 1x1, so this is the upper end; it costs
/// ResNet-50 in fp16 a fifth (PaddlePaddle pull request 20597: 0.195 against 0.16 s a step).
void append_layout_copies(const ModelBuilder& builder, const std::string& name, Pass pass,
                          double elements, std::vector<Kernel>& kernels) {
  if (builder.request().precision != Precision::tf32 || builder.fusion() == Fusion::compile) return;
  kernels.push_back(
      memory_kernel(name + ".layout_copies", pass, 2 * builder.activation_bytes() * elements, 2));
}

}  // namespace

Convolution declare_convolution(ModelBuilder& builder, std::string label, const std::string& path,
                                Convolution shape) {
  shape.label = std::move(label);
  shape.weight = builder.parameter(path + ".weight", {shape.outputs, shape.inputs / shape.groups,
                                                      shape.kernel, shape.window() / shape.kernel});
  if (shape.biased) shape.bias = builder.parameter(path + ".bias", {shape.outputs});
  return shape;
}

std::int64_t Convolution::output_side(std::int64_t side) const {
  return padding < 0 ? (side + stride - 1) / stride : (side + 2 * padding - kernel) / stride + 1;
}

FeatureMap append_convolution(ModelBuilder& builder, const Convolution& convolution,
                              const FeatureMap& input, const ConvolutionUse& use) {
  const std::string& label = convolution.label;
  const ParameterId weight = convolution.weight;
  const std::int64_t inputs = convolution.inputs, outputs = convolution.outputs;
  const std::int64_t stride = convolution.stride, groups = convolution.groups;
  const FeatureMap output{input.images, outputs, convolution.output_side(input.side)};
  const std::int64_t rows = output.images * output.side * output.side;
  const std::int64_t window = convolution.window();
  const bool biased = convolution.bias.valid();
  const double weights = product(builder.elements(weight));
  const double activations = product(input.elements()) + product(output.elements());
  const double bytes = builder.activation_bytes() * activations + builder.operand_bytes() * weights;
  const GemmSize forward{rows, outputs / groups, inputs / groups * window, groups};

  const auto implicit = [&](std::string name, Pass pass, const GemmSize& shape) {
    Kernel result = convolution_kernel(std::move(name), pass, shape, bytes);
    const bool square = window == convolution.kernel * convolution.kernel;
    result.filter = square ? static_cast<int>(convolution.kernel) : 0;
    result.stride = static_cast<int>(stride);
    return result;
  };

  Operation operation;
  append_weight_cast(builder, label, builder.elements(weight) + (biased ? outputs : 0),
                     biased ? 2 : 1, operation);
  append_layout_copies(builder, label, Pass::forward, activations, operation.forward);
  operation.forward.push_back(implicit(label, Pass::forward, forward));
  operation.model_flops = forward.flops();
  const double pass = builder.activation_bytes() * product(output.elements());
  if (biased) operation.forward.push_back(memory_kernel(label + ".bias", Pass::forward, 2 * pass));
  if (use.keeps_input)
    operation.saved_bytes = builder.activation_bytes() * product(input.elements());
  if (use.input_gradient) {
    append_layout_copies(builder, label + ".dgrad", Pass::dgrad, activations, operation.backward);
    operation.backward.push_back(implicit(label + ".dgrad", Pass::dgrad,
                                          {input.images * input.side * input.side, inputs / groups,
                                           outputs / groups * window / (stride * stride), groups}));
  }
  append_layout_copies(builder, label + ".wgrad", Pass::wgrad, activations, operation.backward);
  Kernel wgrad = implicit(label + ".wgrad", Pass::wgrad,
                          {outputs / groups, inputs / groups * window, rows, groups});
  if (!biased) {
    append_weight_gradient(builder, label, std::move(wgrad), weight, true, operation);
  } else {
    // One autograd node makes all gradients and hands over the weight's, then the bias's; of two
    // casts the later one, of the bias, goes back first.
    const bool compiled = builder.fusion() == Fusion::compile;  // with the ReLU's backward
    Kernel bias_gradient =
        memory_kernel(label + ".bias_gradient", Pass::wgrad, (compiled ? 3 : 1) * pass);
    if (builder.casts_weights()) {
      operation.backward.push_back(std::move(bias_gradient));
      operation.backward.back().launches = 2;
      operation.backward.back().completes = {convolution.bias};
      append_weight_gradient(builder, label, std::move(wgrad), weight, true, operation);
    } else {
      operation.backward.push_back(std::move(wgrad));
      operation.backward.push_back(std::move(bias_gradient));
      operation.backward.back().completes = {weight, convolution.bias};
    }
  }
  builder.append(std::move(operation));
  return output;
}

}  // namespace dsim
