#include <algorithm>
#include <utility>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/kernels.h"
#include "model/workload/transformer/communication.h"
#include "model/workload/transformer/ends.h"
#include "model/workload/transformer/mlp.h"
#include "model/workload/transformer/norm.h"
#include "model/workload/transformer/parallel_linear.h"

namespace dsim {
namespace {

// Kernels of a dense embedding gradient: pytorch aten/src/ATen/native/cuda/Embedding.cu (zero fill
// and one kernel up to 3,072 ids; above, the ids are sorted and their segments reduced).
int scatter_launches(std::int64_t ids) { return ids <= 3072 ? 2 : 12; }

/// Bytes of an element of a weight gradient as autograd hands it over.
double gradient_bytes(const ModelBuilder& builder) {
  return builder.request().half_weights ? builder.activation_bytes() : 4;
}

/// A lookup: 2 passes. Backward fills a dense gradient with zeros and scatter-adds 3 passes; a tied
/// table adds the head's gradient of the same tensor.
void append_lookup(ModelBuilder& builder, const std::string& label, ParameterId weight,
                   std::int64_t ids, std::int64_t width, bool tied) {
  const double pass = builder.activation_bytes() * product(ids, width);
  const double dense = gradient_bytes(builder) * product(builder.elements(weight));
  Operation operation;
  operation.forward = {memory_kernel(label, Pass::forward, 2 * pass)};
  operation.backward = {
      memory_kernel(label + ".scatter_add", Pass::wgrad, 3 * pass + dense, scatter_launches(ids))};
  if (tied)
    operation.backward.push_back(
        memory_kernel(label + ".tied_gradient_sum", Pass::wgrad, 3 * dense));
  operation.backward.back().completes = {weight};
  operation.saved_bytes = 8 * product(ids);  // int64
  builder.append(std::move(operation));
}

void append_sum(ModelBuilder& builder, const std::string& label, std::int64_t elements) {
  Operation operation;
  operation.forward = {
      memory_kernel(label, Pass::forward, 3 * builder.activation_bytes() * product(elements))};
  builder.append(std::move(operation));
}

/// Bytes a logit, forward and backward, and what is kept. eager over whole rows: torch's autocast
/// log-softmax and nll, 20 and 14 (fp32: without the casts 12 and 16), fitted to llm-foundry rates;
/// over spread logits each operation of Megatron-LM's fp32 cross-entropy apart, 36 and 20; fused
/// (jit, compile) 8 to 10 each.
struct LossBytes {
  double forward, backward;
  int launches;
  double saved;
};
LossBytes loss_bytes(const ModelBuilder& builder, const RankShape& shape) {
  const double e = builder.activation_bytes();
  if (builder.fusion() == Fusion::jit) return {9, 9, 2, e};
  if (builder.fusion() == Fusion::compile) return {9, 9, 2, e + 4};
  if (shape.tensor > 1) return {36, 20, 8, e + 4};
  if (e < 4) return {20, 14, 3, e + 4};
  return {12, 16, 2, 8};
}

void append_loss(ModelBuilder& builder, const RankShape& shape) {
  const double logits = product(shape.tokens, shape.vocabulary);
  const LossBytes bytes = loss_bytes(builder, shape);
  Operation operation;
  if (shape.tensor > 1)  // the greatest logit, the wanted one, the sum of exponentials
    for (const char* name : {"loss.max", "loss.wanted_logit", "loss.sum_of_exponentials"})
      operation.forward.push_back(
          communication_kernel(name, Pass::forward, CollectiveOp::all_reduce, ParallelGroup::tensor,
                               4 * product(shape.tokens), 4));
  operation.forward.push_back(
      memory_kernel("loss", Pass::forward, bytes.forward * logits, bytes.launches));
  operation.backward = {
      memory_kernel("loss.backward", Pass::dgrad, bytes.backward * logits, bytes.launches)};
  operation.saved_bytes = bytes.saved * logits;
  builder.append(std::move(operation));
  Model& model = builder.model();
  model.workspace_bytes = std::max(model.workspace_bytes, bytes.saved * logits);
}

}  // namespace

ParameterId append_embeddings(ModelBuilder& builder, const TransformerConfig& config,
                              const RankShape& shape) {
  builder.begin_layer("embeddings", LayerRole::embedding);
  const std::int64_t h = config.hidden, elements = shape.rows * h;
  const ParameterId table =
      builder.parameter("model.embed_tokens.weight", {shape.vocabulary, h}, config.vocabulary * h);
  append_lookup(builder, "embed_tokens", table, shape.tokens, h, config.tied);
  if (shape.tensor > 1) {
    const double e = builder.activation_bytes();
    const bool scattered = shape.sequence_parallel;
    const auto kernel = [&](const char* name, Pass pass, CollectiveOp op) {
      return communication_kernel(name, pass, op, ParallelGroup::tensor,
                                  e * product(shape.tokens, h), static_cast<int>(e));
    };
    Operation operation;
    operation.forward = {
        kernel("embed_tokens.reduce", Pass::forward,
               scattered ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce)};
    if (scattered)
      operation.backward = {
          kernel("embed_tokens.all_gather", Pass::dgrad, CollectiveOp::all_gather)};
    builder.append(std::move(operation));
  }
  if (config.position == PositionScheme::learned) {
    append_lookup(builder, "embed_positions",
                  builder.parameter("model.embed_positions.weight", {shape.position_rows, h}),
                  shape.sequence / shape.context, h, false);
    append_sum(builder, "position_sum", elements);
  }
  if (config.token_types > 0) {
    append_lookup(builder, "token_type_embeddings",
                  builder.parameter("model.token_type_embeddings.weight", {config.token_types, h}),
                  shape.tokens, h, false);
    append_sum(builder, "token_type_sum", elements);
  }
  if (config.embedding_norm)
    append_norm(
        builder,
        declare_norm(builder, config.norm, config.norm_bias, "embed_norm", "model.embed_norm", h),
        shape.rows, false);
  if (config.embedding_dropout) append_dropout(builder, "dropout", elements);
  builder.layer().output_bytes = builder.activation_bytes() * product(elements);
  return table;
}

void append_head(ModelBuilder& builder, const TransformerConfig& config, const RankShape& shape,
                 ParameterId embedding) {
  builder.begin_layer("head", LayerRole::head);
  const std::int64_t h = config.hidden;
  builder.layer().input_bytes = builder.activation_bytes() * product(shape.rows, h);
  if (config.final_norm)
    append_norm(builder,
                declare_norm(builder, config.norm, config.norm_bias, "norm", "model.norm", h),
                shape.rows, false);
  if (config.masked_head) {
    TransformerConfig plain = config;
    plain.gated = false;
    append_replicated(builder,
                      {declare_parallel_linear(builder, shape, Split::none, "transform",
                                               "lm_head.transform", {h, h, true})},
                      {.rows = shape.rows});
    append_activation(builder, plain, "transform.activation", shape.rows, h);
    append_norm(builder,
                declare_norm(builder, config.norm, config.norm_bias, "transform.norm",
                             "lm_head.transform_norm", h),
                shape.rows, false);
  }
  ParallelLinear logits;
  logits.linear.label = "lm_head";
  logits.linear.inputs = h;
  logits.linear.outputs = shape.vocabulary;
  logits.linear.weight = config.tied ? embedding
                                     : builder.parameter("lm_head.weight", {shape.vocabulary, h},
                                                         config.vocabulary * h);
  if (config.head_bias)
    logits.linear.bias = builder.parameter("lm_head.bias", {shape.vocabulary}, config.vocabulary);
  logits.model_flops = shape.share_of(product(h), product(config.vocabulary));
  append_column_parallel(builder, shape, {logits},
                         {.rows = shape.tokens, .tied_weight = config.tied});
  append_loss(builder, shape);
}

}  // namespace dsim
