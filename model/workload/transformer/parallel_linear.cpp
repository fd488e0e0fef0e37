#include "model/workload/transformer/parallel_linear.h"

#include <utility>

#include "model/workload/kernels.h"
#include "model/workload/transformer/communication.h"

namespace dsim {
namespace {

using Kernels = std::vector<Kernel>;

void move_to_end(Kernels from, Kernels& to) {
  for (Kernel& kernel : from) to.push_back(std::move(kernel));
}

/// The GEMM, behind the copy of the bias that eager addmm accumulates onto.
Kernels forward_kernels(const ModelBuilder& builder, const Linear& linear, std::int64_t rows) {
  const double e = builder.activation_bytes();
  Kernels kernels;
  if (linear.bias.valid() && builder.fusion() == Fusion::eager)
    kernels.push_back(memory_kernel(linear.label + ".bias", Pass::forward,
                                    2 * e * product(rows, linear.outputs)));
  kernels.push_back(gemm_kernel(linear.label, Pass::forward, {rows, linear.outputs, linear.inputs},
                                builder.operand_bytes(), e));
  return kernels;
}

Kernel dgrad_kernel(const ModelBuilder& builder, const Linear& linear, std::int64_t rows) {
  return gemm_kernel(linear.label + ".dgrad", Pass::dgrad, {rows, linear.inputs, linear.outputs},
                     builder.operand_bytes(), builder.activation_bytes());
}

/// Gradients of bias and weight. Fused accumulation reads and writes fp32 main gradients in the
/// GEMM in place of writing a result.
Kernels wgrad_kernels(const ModelBuilder& builder, const Linear& linear, std::int64_t rows,
                      std::int64_t bias_rows, bool tied) {
  const double e = builder.activation_bytes();
  constexpr double read_and_write_fp32 = 8;
  Operation operation;
  if (linear.bias.valid()) {
    operation.backward.push_back(memory_kernel(linear.label + ".bias_gradient", Pass::wgrad,
                                               e * product(bias_rows, linear.outputs),
                                               builder.casts_weights() ? 2 : 1));
    operation.backward.back().completes.push_back(linear.bias);
  }
  const bool fused = builder.request().sharding.fused_gradient_accumulation;
  append_weight_gradient(
      builder, linear.label,
      gemm_kernel(linear.label + ".wgrad", Pass::wgrad, {linear.outputs, linear.inputs, rows},
                  builder.operand_bytes(), fused ? read_and_write_fp32 : e),
      linear.weight, !tied, operation);
  return std::move(operation.backward);
}

void append_casts(const ModelBuilder& builder, const Linear& linear, Operation& operation) {
  const bool bias = linear.bias.valid();
  append_weight_cast(builder, linear.label,
                     builder.elements(linear.weight) + (bias ? linear.outputs : 0), bias ? 2 : 1,
                     operation);
}

/// Each layer after the first adds its gradient of the shared input to the sum.
void add_gradient_sum(const ModelBuilder& builder, const Linear& linear, std::int64_t rows,
                      Kernels& kernels) {
  if (builder.fusion() == Fusion::compile) return;
  kernels.push_back(memory_kernel(linear.label + ".gradient_sum", Pass::dgrad,
                                  3 * builder.activation_bytes() * product(rows, linear.inputs)));
}

}  // namespace

ParallelLinear declare_parallel_linear(ModelBuilder& builder, const RankShape& shape, Split split,
                                       std::string label, const std::string& path,
                                       const LinearSizes& sizes) {
  const auto& [inputs, outputs, bias, rank_outputs] = sizes;
  ParallelLinear layer;
  layer.linear.label = std::move(label);
  layer.linear.inputs = split == Split::rows ? inputs / shape.tensor : inputs;
  layer.linear.outputs = split != Split::columns ? outputs
                         : rank_outputs > 0      ? rank_outputs
                                                 : outputs / shape.tensor;
  layer.linear.weight = builder.parameter(
      path + ".weight", {layer.linear.outputs, layer.linear.inputs}, inputs * outputs);
  if (bias) layer.linear.bias = builder.parameter(path + ".bias", {layer.linear.outputs}, outputs);
  layer.model_flops = shape.share_of(product(inputs), product(outputs));
  return layer;
}

void append_replicated(ModelBuilder& builder, const std::vector<ParallelLinear>& layers,
                       const ParallelUse& use) {
  Operation operation;
  for (const ParallelLinear& layer : layers) {
    append_casts(builder, layer.linear, operation);
    move_to_end(forward_kernels(builder, layer.linear, use.rows), operation.forward);
    operation.model_flops += layer.model_flops;
  }
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    operation.backward.push_back(dgrad_kernel(builder, layer->linear, use.rows));
    move_to_end(wgrad_kernels(builder, layer->linear, use.rows, use.rows, use.tied_weight),
                operation.backward);
    if (layer != layers.rbegin())
      add_gradient_sum(builder, layer->linear, use.rows, operation.backward);
  }
  if (use.keeps_input)
    operation.saved_bytes =
        builder.activation_bytes() * product(use.rows, layers.front().linear.inputs);
  builder.append(std::move(operation));
}

void append_column_parallel(ModelBuilder& builder, const RankShape& shape,
                            const std::vector<ParallelLinear>& layers, const ParallelUse& use) {
  if (shape.tensor == 1) return append_replicated(builder, layers, use);
  const LayerSharding& sharding = builder.request().sharding;
  const bool sequence_parallel = shape.sequence_parallel;
  const std::string& label = layers.front().linear.label;
  const std::int64_t inputs = layers.front().linear.inputs;
  const double e = builder.activation_bytes();
  const double whole = e * product(use.rows, use.input_width > 0 ? use.input_width : inputs);
  const auto tensor_kernel = [&](const char* suffix, Pass pass, CollectiveOp op, bool overlapped,
                                 std::size_t kernels) {
    return communication_kernel(label + suffix, pass, op, ParallelGroup::tensor, whole,
                                static_cast<int>(e), overlapped ? static_cast<int>(kernels) : 0);
  };
  Operation operation;
  Kernels gemms, dgrads, wgrads;
  for (const ParallelLinear& layer : layers) {
    append_casts(builder, layer.linear, operation);
    move_to_end(forward_kernels(builder, layer.linear, use.rows), gemms);
    operation.model_flops += layer.model_flops;
  }
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    dgrads.push_back(dgrad_kernel(builder, layer->linear, use.rows));
    if (layer != layers.rbegin()) add_gradient_sum(builder, layer->linear, use.rows, dgrads);
    move_to_end(wgrad_kernels(builder, layer->linear, use.rows, use.rows, use.tied_weight), wgrads);
  }

  if (sequence_parallel)
    operation.forward.push_back(tensor_kernel(".all_gather", Pass::forward,
                                              CollectiveOp::all_gather, sharding.tensor_overlap,
                                              gemms.size()));
  move_to_end(std::move(gemms), operation.forward);

  const bool beside = sharding.async_tensor_backward || sharding.tensor_overlap;
  if (sequence_parallel)
    operation.backward.push_back(tensor_kernel(".all_gather_again", Pass::wgrad,
                                               CollectiveOp::all_gather, beside, dgrads.size()));
  move_to_end(std::move(dgrads), operation.backward);
  operation.backward.push_back(
      sequence_parallel ? tensor_kernel(".reduce_scatter", Pass::dgrad,
                                        CollectiveOp::reduce_scatter, beside, wgrads.size())
                        : tensor_kernel(".all_reduce", Pass::dgrad, CollectiveOp::all_reduce,
                                        beside, wgrads.size()));
  move_to_end(std::move(wgrads), operation.backward);
  if (use.keeps_input)
    operation.saved_bytes =
        e * product(use.rows, inputs) / (sequence_parallel ? product(shape.tensor) : 1);
  builder.append(std::move(operation));
}

void append_row_parallel(ModelBuilder& builder, const RankShape& shape, const ParallelLinear& layer,
                         const ParallelUse& use) {
  if (shape.tensor == 1) return append_replicated(builder, {layer}, use);
  const LayerSharding& sharding = builder.request().sharding;
  const Linear& linear = layer.linear;
  const double e = builder.activation_bytes();
  const double whole = e * product(use.rows, linear.outputs);
  const bool overlap = shape.sequence_parallel && sharding.tensor_overlap;
  const auto tensor_kernel = [&](const char* suffix, Pass pass, CollectiveOp op, int hidden) {
    return communication_kernel(linear.label + suffix, pass, op, ParallelGroup::tensor, whole,
                                static_cast<int>(e), hidden);
  };
  Operation operation;
  operation.model_flops = layer.model_flops;
  append_casts(builder, linear, operation);
  Kernels gemms = forward_kernels(builder, linear, use.rows);
  Kernel reduce =
      shape.sequence_parallel
          ? tensor_kernel(".reduce_scatter", Pass::forward, CollectiveOp::reduce_scatter, 0)
          : tensor_kernel(".all_reduce", Pass::forward, CollectiveOp::all_reduce, 0);
  if (overlap) {
    reduce.hidden_behind = static_cast<int>(gemms.size());
    operation.forward.push_back(std::move(reduce));
    move_to_end(std::move(gemms), operation.forward);
  } else {
    move_to_end(std::move(gemms), operation.forward);
    operation.forward.push_back(std::move(reduce));
  }

  if (shape.sequence_parallel)
    operation.backward.push_back(
        tensor_kernel(".all_gather", Pass::dgrad, CollectiveOp::all_gather, overlap ? 1 : 0));
  operation.backward.push_back(dgrad_kernel(builder, linear, use.rows));
  move_to_end(wgrad_kernels(builder, linear, use.rows, shape.rows, use.tied_weight),
              operation.backward);
  if (use.keeps_input) operation.saved_bytes = e * product(use.rows, linear.inputs);
  builder.append(std::move(operation));
}

}  // namespace dsim
