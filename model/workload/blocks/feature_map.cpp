#include "model/workload/blocks/feature_map.h"

#include <utility>

#include "model/workload/kernels.h"

namespace dsim {
namespace {

double pass_bytes(const ModelBuilder& builder, const FeatureMap& map) {
  return builder.activation_bytes() * product(map.elements());
}

}  // namespace

Norm declare_batch_norm(ModelBuilder& builder, std::string label, const std::string& path,
                        std::int64_t channels) {
  Model& model = builder.model();
  model.buffers.insert(model.buffers.end(), {channels, channels});
  model.integer_buffers.push_back(1);
  return declare_layer_norm(builder, std::move(label), path, channels);
}

void append_batch_norm(ModelBuilder& builder, const Norm& norm, const FeatureMap& map,
                       bool feeds_add) {
  const double pass = pass_bytes(builder, map);
  const bool compiled = builder.fusion() == Fusion::compile;
  Operation operation;
  // Two launches: num_batches_tracked += 1 (torch.nn.BatchNorm2d.forward), and the norm itself.
  operation.forward.push_back(
      memory_kernel(norm.label, Pass::forward, (compiled && feeds_add ? 1 : 3) * pass, 2));
  operation.backward.push_back(memory_kernel(norm.label + ".backward", Pass::dgrad, 5 * pass));
  operation.backward.back().completes = {norm.weight, norm.bias};
  operation.saved_bytes = pass + 8 * product(map.channels);
  builder.append(std::move(operation));
}

void append_relu(ModelBuilder& builder, const std::string& label, const FeatureMap& map) {
  if (builder.fusion() == Fusion::compile) return;
  const double pass = pass_bytes(builder, map);
  Operation operation;
  operation.forward.push_back(memory_kernel(label, Pass::forward, 2 * pass));
  operation.backward.push_back(memory_kernel(label + ".backward", Pass::dgrad, 3 * pass));
  builder.append(std::move(operation));
}

void append_residual_relu(ModelBuilder& builder, const std::string& label, const FeatureMap& map) {
  const double pass = pass_bytes(builder, map);
  Operation operation;
  operation.forward.push_back(memory_kernel(label, Pass::forward, 3 * pass));
  if (builder.fusion() == Fusion::eager)
    operation.forward.push_back(memory_kernel(label + ".relu", Pass::forward, 2 * pass));
  operation.backward.push_back(memory_kernel(label + ".backward", Pass::dgrad,
                                             (builder.fusion() == Fusion::compile ? 4 : 3) * pass));
  builder.append(std::move(operation));
}

FeatureMap Pooling::output(const FeatureMap& input) const {
  return {input.images, input.channels, (input.side + 2 * padding - kernel) / stride + 1};
}

FeatureMap append_max_pool(ModelBuilder& builder, const std::string& label, const FeatureMap& input,
                           const Pooling& pooling) {
  const FeatureMap output = pooling.output(input);
  const double in = pass_bytes(builder, input);
  const double out = pass_bytes(builder, output);
  const double indices = 8 * product(output.elements());
  Operation operation;
  operation.forward.push_back(memory_kernel(label, Pass::forward, in + out + indices));
  // zero fill of the input gradient, then the gather
  operation.backward.push_back(
      memory_kernel(label + ".backward", Pass::dgrad, 2 * in + out + indices, 2));
  operation.saved_bytes = in + indices;
  builder.append(std::move(operation));
  return output;
}

namespace {

void append_mean(ModelBuilder& builder, const std::string& label, double bytes) {
  Operation operation;
  operation.forward.push_back(memory_kernel(label, Pass::forward, bytes));
  operation.backward.push_back(memory_kernel(label + ".backward", Pass::dgrad, bytes));
  builder.append(std::move(operation));
}

}  // namespace

void append_average_pool(ModelBuilder& builder, const std::string& label, const FeatureMap& input) {
  append_mean(builder, label,
              pass_bytes(builder, input) +
                  builder.activation_bytes() * product(input.images, input.channels));
}

FeatureMap append_average_pool(ModelBuilder& builder, const std::string& label,
                               const FeatureMap& input, const Pooling& pooling) {
  const FeatureMap output = pooling.output(input);
  append_mean(builder, label, pass_bytes(builder, input) + pass_bytes(builder, output));
  return output;
}

void append_concatenation(ModelBuilder& builder, const std::string& label,
                          const FeatureMap& output) {
  Operation operation;
  operation.forward.push_back(memory_kernel(label, Pass::forward, 2 * pass_bytes(builder, output)));
  builder.append(std::move(operation));
}

void set_output(ModelBuilder& builder, const FeatureMap& map) {
  builder.layer().output_bytes = pass_bytes(builder, map);
}

}  // namespace dsim
