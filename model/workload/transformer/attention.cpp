#include "model/workload/transformer/attention.h"

#include <vector>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/transformer/attention_core.h"
#include "model/workload/transformer/norm.h"
#include "model/workload/transformer/parallel_linear.h"

namespace dsim {
namespace {

// Passes of the copies between [tokens, width] and [heads, sequence, head size], per element of Q,
// K and V together and of the context. Counted on Megatron-LM (jit), Hugging Face (eager).
struct CopyPasses {
  double qkv_forward, qkv_backward, context;
  int qkv_launches;
};
CopyPasses copy_passes(Fusion fusion) {
  switch (fusion) {
    case Fusion::eager:
      return {2, 2, 2, 3};
    case Fusion::jit:
      return {0, 2, 2, 1};
    case Fusion::compile:
      return {1.5, 1.5, 0, 1};
  }
  return {};
}

/// Rotation of queries and keys. eager (rotate-half by slices, products and a sum): 8 and 10
/// passes; fused kernel: 2 and 2; compile does it in the copies.
void append_rotation(ModelBuilder& builder, std::int64_t elements) {
  switch (builder.fusion()) {
    case Fusion::eager:
      return append_copy(builder, "attention.rope", elements, 8, 10, 10);
    case Fusion::jit:
      return append_copy(builder, "attention.rope", elements, 2, 2, 2);
    case Fusion::compile:
      return;
  }
}

void append_query_key_norms(ModelBuilder& builder, const TransformerConfig& config,
                            const RankShape& shape, const std::string& path) {
  if (config.query_key_norm == QueryKeyNorm::none) return;
  const auto append = [&](const char* name, std::int64_t heads, std::int64_t whole_heads) {
    const bool per_head = config.query_key_norm == QueryKeyNorm::per_head;
    const std::int64_t d = shape.head_size;
    const TransformerNorm norm =
        declare_norm(builder, config.norm, config.norm_bias, std::string("attention.") + name,
                     path + '.' + name, per_head ? d : heads * d, per_head ? d : whole_heads * d);
    append_norm(builder, norm, per_head ? shape.tokens * heads : shape.tokens, false);
  };
  append("q_norm", shape.heads, config.heads);
  append("k_norm", shape.kv_heads, config.kv_heads);
}

CoreShape core_shape(const TransformerConfig& config, const RankShape& shape, std::int64_t layer) {
  CoreShape core;
  core.batch = shape.batch;
  core.sequence = shape.sequence;
  core.heads = shape.heads;
  core.kv_heads = shape.kv_heads;
  core.query_size = shape.head_size;
  core.value_size = shape.value_size;
  core.context = shape.context;
  core.window = config.window_of(layer);
  core.causal = config.causal;
  core.dropout = config.attention_dropout;
  return core;
}

/// Q, K and V straight from the input: one GEMM where the framework fuses them.
std::int64_t append_projections(ModelBuilder& builder, const TransformerConfig& config,
                                const RankShape& shape, const std::string& path) {
  const std::int64_t h = config.hidden, d = shape.head_size;
  const auto columns = [&](const char* name, std::int64_t heads, std::int64_t rank_heads) {
    return declare_parallel_linear(builder, shape, Split::columns, std::string("attention.") + name,
                                   path + '.' + name,
                                   {h, heads * d, config.qkv_bias, rank_heads * d});
  };
  std::vector<ParallelLinear> layers;
  const std::int64_t all = config.heads + 2 * config.kv_heads;
  const std::int64_t of_rank = shape.heads + 2 * shape.kv_heads;
  if (config.fused_projections || builder.fusion() == Fusion::jit) {
    layers = {columns("qkv_proj", all, of_rank)};
  } else {
    layers.push_back(columns("q_proj", config.heads, shape.heads));
    layers.push_back(columns("k_proj", config.kv_heads, shape.kv_heads));
    layers.push_back(columns("v_proj", config.kv_heads, shape.kv_heads));
  }
  append_column_parallel(builder, shape, layers, {.rows = shape.tokens});
  return of_rank * d;
}

/// Latent attention: down projections that every rank holds whole, norms on the ranks, and up
/// projections by heads. Returns the width of Q, K and V of this rank.
std::int64_t append_latent_projections(ModelBuilder& builder, const TransformerConfig& config,
                                       const RankShape& shape, const std::string& path) {
  const LatentAttention& latent = config.latent;
  const std::int64_t h = config.hidden;
  const auto declare = [&](Split split, const char* name, std::int64_t inputs, std::int64_t outputs,
                           bool bias) {
    return declare_parallel_linear(builder, shape, split, std::string("attention.") + name,
                                   path + '.' + name, {inputs, outputs, bias});
  };
  const auto norm = [&](const char* name, std::int64_t width) {
    return declare_norm(builder, config.norm, config.norm_bias, std::string("attention.") + name,
                        path + '.' + name, width);
  };
  const std::int64_t query_width = config.heads * shape.head_size;
  const std::int64_t kv_width = config.heads * (latent.plain_size + latent.value_size);
  std::vector<ParallelLinear> down;
  if (latent.query_rank > 0)
    down.push_back(declare(Split::none, "q_a_proj", h, latent.query_rank, config.qkv_bias));
  else
    append_column_parallel(builder, shape,
                           {declare(Split::columns, "q_proj", h, query_width, config.qkv_bias)},
                           {.rows = shape.tokens, .keeps_input = false});
  down.push_back(declare(Split::none, "kv_a_proj", h, latent.key_value_rank + latent.rotary_size,
                         config.qkv_bias));
  append_replicated(builder, down, {.rows = shape.rows});
  if (latent.query_rank > 0) {
    append_norm(builder, norm("q_a_layernorm", latent.query_rank), shape.rows, false);
    append_column_parallel(
        builder, shape,
        {declare(Split::columns, "q_b_proj", latent.query_rank, query_width, false)},
        {.rows = shape.tokens});
  }
  append_norm(builder, norm("kv_a_layernorm", latent.key_value_rank), shape.rows, false);
  append_column_parallel(
      builder, shape,
      {declare(Split::columns, "kv_b_proj", latent.key_value_rank, kv_width, false)},
      {.rows = shape.tokens, .input_width = latent.key_value_rank + latent.rotary_size});
  return shape.heads * (2 * shape.head_size + shape.value_size);
}

}  // namespace

void append_self_attention(ModelBuilder& builder, const TransformerConfig& config,
                           const RankShape& shape, const std::string& path, std::int64_t layer) {
  const bool latent = config.latent.used();
  const std::int64_t width = latent ? append_latent_projections(builder, config, shape, path)
                                    : append_projections(builder, config, shape, path);
  CoreShape core = core_shape(config, shape, layer);
  if (config.sinks) core.sinks = builder.parameter(path + ".sinks", {shape.heads}, config.heads);
  append_query_key_norms(builder, config, shape, path);
  const CopyPasses copies = copy_passes(builder.fusion());
  append_copy(builder, "attention.qkv_copy", shape.tokens * width, copies.qkv_forward,
              copies.qkv_backward, copies.qkv_launches);
  if (config.position == PositionScheme::rope)
    append_rotation(builder,
                    shape.tokens * (latent ? (shape.heads + 1) * config.latent.rotary_size
                                           : (shape.heads + shape.kv_heads) * shape.head_size));
  append_core(builder, core);
  append_copy(builder, "attention.context_copy", shape.tokens * shape.heads * shape.value_size,
              copies.context, copies.context, 1);
  append_row_parallel(
      builder, shape,
      declare_parallel_linear(builder, shape, Split::rows, "attention.o_proj", path + ".o_proj",
                              {config.heads * shape.value_size, config.hidden, config.output_bias}),
      {.rows = shape.tokens});
}

}  // namespace dsim
