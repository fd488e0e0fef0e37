#include "model/workload/transformer/mlp.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/workload/kernels.h"
#include "model/workload/transformer/parallel_linear.h"

namespace dsim {
namespace {

/// Per element of one up projection's result.
struct ActivationPasses {
  double forward, backward;
  int launches;
  double saved;  ///< beside the result, which its reader keeps
};

/// Gated, eager: silu (2), product (3); backward of both (3 + 5). Fused: reads both halves, writes
/// one; backward reads three and writes two. Squared ReLU, eager: two kernels.
ActivationPasses activation_passes(const ModelBuilder& builder, const TransformerConfig& config) {
  const bool eager = builder.fusion() == Fusion::eager;
  if (config.gated) return eager ? ActivationPasses{5, 8, 2, 3} : ActivationPasses{3, 5, 1, 2};
  if (config.activation == Activation::squared_relu && eager) return {4, 6, 2, 2};
  if (config.activation == Activation::relu) return {2, 3, 1, 0};
  return {2, 3, 1, 1};
}

}  // namespace

void append_activation(ModelBuilder& builder, const TransformerConfig& config,
                       const std::string& label, std::int64_t rows, std::int64_t ffn) {
  const ActivationPasses passes = activation_passes(builder, config);
  const double pass = builder.activation_bytes() * product(rows, ffn);
  Operation operation;
  operation.forward = {memory_kernel(label, Pass::forward, passes.forward * pass, passes.launches)};
  operation.backward = {
      memory_kernel(label + ".backward", Pass::dgrad, passes.backward * pass, passes.launches)};
  operation.saved_bytes = passes.saved * pass;
  builder.append(std::move(operation));
  Model& model = builder.model();  // gradients of the activation's result and of its input
  model.workspace_bytes = std::max(model.workspace_bytes, (config.gated ? 3 : 2) * pass);
}

void append_transformer_mlp(ModelBuilder& builder, const TransformerConfig& config,
                            const RankShape& shape, const std::string& label,
                            const std::string& path, std::int64_t whole_ffn, bool keeps_input) {
  const std::int64_t h = config.hidden;
  const auto up = [&](const char* name, std::int64_t outputs) {
    return declare_parallel_linear(builder, shape, Split::columns, label + '.' + name,
                                   path + '.' + name, {h, outputs, config.mlp_bias});
  };
  std::vector<ParallelLinear> layers;
  if (config.gated && (config.fused_projections || builder.fusion() == Fusion::jit)) {
    layers = {up("gate_up_proj", 2 * whole_ffn)};
  } else {
    if (config.gated) layers.push_back(up("gate_proj", whole_ffn));
    layers.push_back(up("up_proj", whole_ffn));
  }
  append_column_parallel(builder, shape, layers,
                         {.rows = shape.tokens, .keeps_input = keeps_input});
  append_activation(builder, config, label + ".activation", shape.tokens, whole_ffn / shape.tensor);
  append_row_parallel(builder, shape,
                      declare_parallel_linear(builder, shape, Split::rows, label + ".down_proj",
                                              path + ".down_proj", {whole_ffn, h, config.mlp_bias}),
                      {.rows = shape.tokens});
}

}  // namespace dsim
