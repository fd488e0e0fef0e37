#include "model/workload/transformer/moe.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/kernels.h"
#include "model/workload/transformer/communication.h"
#include "model/workload/transformer/mlp.h"
#include "model/workload/transformer/parallel_linear.h"

namespace dsim {
namespace {

/// Passes of 4 B over the logits of the router: softmax or sigmoid, top-k, counts of tokens an
/// expert, auxiliary loss. Counted on Megatron-LM core/transformer/moe; small beside the experts.
constexpr double routing_forward = 6, routing_backward = 4;
constexpr int routing_launches = 8;

/// How the copies of tokens lie on this rank.
struct Copies {
  std::int64_t sent = 0;      ///< tokens x top_k that leave this rank
  std::int64_t computed = 0;  ///< that its experts see
};

Copies copies_of(const TransformerConfig& config, const RankShape& shape) {
  Copies copies;
  copies.sent = shape.rows * config.experts.top_k;
  copies.computed = copies.sent * (shape.sequence_parallel ? shape.expert_tensor : 1);
  return copies;
}

void append_router(ModelBuilder& builder, const TransformerConfig& config, const RankShape& shape,
                   const std::string& path) {
  const Experts& experts = config.experts;
  const ParallelLinear router =
      declare_parallel_linear(builder, shape, Split::none, "moe.router", path + ".gate",
                              {config.hidden, experts.count, experts.biases});
  append_replicated(builder, {router}, {.rows = shape.rows});
  const double logits = 4 * product(shape.rows, experts.count);
  Operation routing;
  routing.forward = {
      memory_kernel("moe.routing", Pass::forward, routing_forward * logits, routing_launches)};
  routing.backward = {memory_kernel("moe.routing.backward", Pass::dgrad, routing_backward * logits,
                                    routing_launches / 2)};
  if (experts.selection_bias)  // adjusted by counts, not by a gradient
    routing.backward.back().completes = {
        builder.parameter(path + ".gate.e_score_correction_bias", {experts.count})};
  routing.saved_bytes = 2 * logits;
  builder.append(std::move(routing));
}

/// Rows gathered in the order of experts, or put back: one read and one write each way.
void append_permutation(ModelBuilder& builder, const std::string& label, std::int64_t rows,
                        std::int64_t width) {
  append_copy(builder, label, rows * width, 2, 2, 2);
}

/// Tokens to their experts (`to_experts`) or results back. Under `fp8_dispatch` what goes to the
/// experts, gradients of the results too, travels in 1 B; what comes back stays in 16 bit
/// (DeepSeek-V3 report, arXiv:2412.19437, section 3.3.3).
void append_exchange(ModelBuilder& builder, const RankShape& shape, const std::string& label,
                     bool to_experts, double elements) {
  if (shape.expert == 1) return;
  const double e = builder.activation_bytes();
  const auto kernel = [&](const std::string& name, Pass pass, bool towards) {
    const bool fp8 = towards && builder.request().sharding.fp8_dispatch;
    const double bytes = fp8 ? 1 : e;
    return communication_kernel(name, pass, CollectiveOp::all_to_all, ParallelGroup::expert,
                                bytes * elements, static_cast<int>(bytes));
  };
  Operation operation;
  operation.forward = {kernel(label, Pass::forward, to_experts)};
  operation.backward = {kernel(label + ".backward", Pass::dgrad, !to_experts)};
  builder.append(std::move(operation));
}

/// Gather before experts that are split over ranks, reduce-scatter after them; the other one in
/// backward.
void append_expert_tensor_exchange(ModelBuilder& builder, const RankShape& shape,
                                   const std::string& label, bool gather, double whole_elements) {
  if (shape.expert_tensor == 1 || !shape.sequence_parallel) return;
  const double e = builder.activation_bytes();
  const auto kernel = [&](const std::string& name, Pass pass, bool gathers) {
    return communication_kernel(
        name, pass, gathers ? CollectiveOp::all_gather : CollectiveOp::reduce_scatter,
        ParallelGroup::expert_tensor, e * whole_elements, static_cast<int>(e));
  };
  Operation operation;
  operation.forward = {kernel(label, Pass::forward, gather)};
  operation.backward = {kernel(label + ".backward", Pass::dgrad, !gather)};
  builder.append(std::move(operation));
}

/// Without sequence parallelism every tensor-parallel rank holds all tokens: results are summed in
/// forward, the gradient of the input in backward.
void append_replica_sum(ModelBuilder& builder, const RankShape& shape, const std::string& label,
                        bool forward, double elements) {
  if (shape.expert_tensor == 1 || shape.sequence_parallel) return;
  const double e = builder.activation_bytes();
  Operation operation;
  Kernel kernel =
      communication_kernel(label, forward ? Pass::forward : Pass::dgrad, CollectiveOp::all_reduce,
                           ParallelGroup::expert_tensor, e * elements, static_cast<int>(e));
  (forward ? operation.forward : operation.backward) = {std::move(kernel)};
  builder.append(std::move(operation));
}

/// One product of every expert of this rank with its share of `rows` rows.
void append_grouped(ModelBuilder& builder, const TransformerConfig& config, const RankShape& shape,
                    const std::string& label, const std::string& path, std::int64_t rows,
                    std::int64_t inputs, std::int64_t outputs, double whole_elements,
                    double model_flops) {
  const double e = builder.activation_bytes();
  const std::int64_t experts = shape.experts;
  const ParameterId weight = builder.parameter(path + ".weight", {experts, outputs, inputs},
                                               static_cast<std::int64_t>(whole_elements), true);
  ParameterId bias;
  if (config.experts.biases) {
    const std::int64_t whole =
        label == "moe.down_proj" ? outputs : config.experts.ffn * (config.gated ? 2 : 1);
    bias =
        builder.parameter(path + ".bias", {experts, outputs}, config.experts.count * whole, true);
  }
  const std::int64_t each = std::max<std::int64_t>((rows + experts - 1) / experts, 1);
  const auto grouped = [&](const std::string& name, Pass pass, const GemmSize& size,
                           double result_bytes) {
    Kernel kernel = gemm_kernel(name, pass, size, builder.operand_bytes(), result_bytes);
    kernel.groups = static_cast<int>(experts);
    kernel.launches = builder.fusion() == Fusion::jit ? 1 : static_cast<int>(experts);
    return kernel;
  };
  const bool fused = builder.request().sharding.fused_gradient_accumulation;
  Operation operation;
  append_weight_cast(builder, label, builder.elements(weight), 1, operation);
  operation.forward.push_back(grouped(label, Pass::forward, {each, outputs, inputs, experts}, e));
  operation.backward.push_back(
      grouped(label + ".dgrad", Pass::dgrad, {each, inputs, outputs, experts}, e));
  append_weight_gradient(
      builder, label,
      grouped(label + ".wgrad", Pass::wgrad, {outputs, inputs, each, experts}, fused ? 8 : e),
      weight, true, operation);
  if (bias.valid()) operation.backward.back().completes.push_back(bias);
  operation.saved_bytes = e * product(rows, inputs);
  operation.model_flops = model_flops;
  builder.append(std::move(operation));
}

/// Results weighted with the router's probabilities and summed over the copies of a token. Weighted
/// inside the experts' activation where that is fused (jit), so results are not kept.
void append_weighted_sum(ModelBuilder& builder, const RankShape& shape, const Copies& copies,
                         std::int64_t width) {
  const double e = builder.activation_bytes();
  const double copied = e * product(copies.sent, width), summed = e * product(shape.rows, width);
  const bool keeps = builder.fusion() != Fusion::jit;
  Operation operation;
  operation.forward = {memory_kernel("moe.unpermute", Pass::forward, copied + summed, 2)};
  operation.backward = {
      memory_kernel("moe.unpermute.backward", Pass::dgrad, (keeps ? 2 : 1) * copied + summed, 2)};
  operation.saved_bytes = keeps ? copied : 0;
  builder.append(std::move(operation));
}

void append_shared(ModelBuilder& builder, const TransformerConfig& config, const RankShape& shape,
                   const std::string& path) {
  const Experts& experts = config.experts;
  if (experts.shared_ffn == 0) return;
  append_transformer_mlp(builder, config, shape, "moe.shared", path + ".shared_expert",
                         experts.shared_ffn, false);
  if (experts.shared_gate) {
    append_replicated(
        builder,
        {declare_parallel_linear(builder, shape, Split::none, "moe.shared_gate",
                                 path + ".shared_expert_gate", {config.hidden, 1, false})},
        {.rows = shape.rows, .keeps_input = false});
    append_copy(builder, "moe.shared_gate.product", shape.rows * config.hidden, 2, 3, 1);
  }
  append_residual_add(builder, "moe.shared_sum", shape.rows * config.hidden, false);
}

}  // namespace

void append_experts(ModelBuilder& builder, const TransformerConfig& config, const RankShape& shape,
                    const std::string& path) {
  const Experts& experts = config.experts;
  const std::int64_t h = config.hidden, up_columns = config.gated ? 2 : 1;
  const Copies copies = copies_of(config, shape);
  const double whole = product(experts.count, h, experts.ffn);
  const double flops = shape.share_of(product(h, experts.top_k), product(experts.ffn));
  append_gradient_sum(builder, "moe.input", shape.rows * h, experts.shared_ffn > 0 ? 3 : 2);
  append_router(builder, config, shape, path);
  append_replica_sum(builder, shape, "moe.input.all_reduce", false, product(shape.tokens, h));
  append_permutation(builder, "moe.permute", copies.sent, h);
  append_exchange(builder, shape, "moe.dispatch", true, product(copies.sent, h));
  append_expert_tensor_exchange(builder, shape, "moe.all_gather", true,
                                product(copies.computed, h));
  if (shape.experts > 1 && shape.expert > 1)
    append_permutation(builder, "moe.sort", copies.computed, h);
  append_grouped(builder, config, shape, "moe.up_proj", path + ".experts.gate_up_proj",
                 copies.computed, h, up_columns * shape.expert_ffn, product(up_columns) * whole,
                 product(up_columns) * flops);
  append_activation(builder, config, "moe.activation", copies.computed, shape.expert_ffn);
  append_grouped(builder, config, shape, "moe.down_proj", path + ".experts.down_proj",
                 copies.computed, shape.expert_ffn, h, whole, flops);
  if (shape.experts > 1 && shape.expert > 1)
    append_permutation(builder, "moe.unsort", copies.computed, h);
  append_expert_tensor_exchange(builder, shape, "moe.reduce_scatter", false,
                                product(copies.computed, h));
  append_exchange(builder, shape, "moe.combine", false, product(copies.sent, h));
  append_weighted_sum(builder, shape, copies, h);
  append_replica_sum(builder, shape, "moe.all_reduce", true, product(shape.tokens, h));
  append_shared(builder, config, shape, path);
}

}  // namespace dsim
