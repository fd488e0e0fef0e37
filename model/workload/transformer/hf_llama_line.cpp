// Families of Llama's line: rotary positions, RMSNorm, gated MLP. What a key means when it is
// missing is the default of the family's configuration class in Hugging Face Transformers.
#include <fmt/format.h>

#include "model/workload/transformer/hf_families.h"

namespace dsim {
namespace {

constexpr std::int64_t widest = 1 << 24, most_experts = 1 << 16;

TransformerConfig gated(const HfObject& object, bool tied = false) {
  TransformerConfig config = hf_dimensions(object);
  config.activation =
      object.activation({"hidden_act", "hidden_activation", "activation"}, Activation::silu);
  config.tied = object.flag({"tie_word_embeddings"}, tied);
  config.attention_dropout = object.dropout({"attention_dropout", "attn_dropout_prob"});
  return config;
}

/// A window longer than any sequence is none.
std::int64_t window(const HfObject& object, const TransformerConfig& config) {
  const std::int64_t size = object.integer_or({"sliding_window"}, 0, 0, 1 << 28);
  return size < config.positions ? size : 0;
}

/// Reads "layer_types": every n-th layer attends to all, the others within a window.
void read_layer_types(const HfObject& object, TransformerConfig& config) {
  const auto types = object.find({"layer_types"});
  if (!types) return;
  const std::vector<json::Value> layers = types->elements();
  std::int64_t period = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool whole = layers[i].as_string() == "full_attention";
    if (!whole && layers[i].as_string() != "sliding_attention")
      layers[i].fail(
          fmt::format("layers of type '{}' cannot be built: known are full_attention "
                      "and sliding_attention",
                      layers[i].as_string()));
    const auto number = static_cast<std::int64_t>(i) + 1;
    if (whole && period == 0) period = number;
    if (whole != (period > 0 && number % period == 0))
      layers[i].fail("only patterns in which every n-th layer is full_attention can be built");
  }
  config.window_period = period;
  if (period <= 1) config.window = period == 1 ? 0 : config.window;
}

Experts routed(const HfObject& object, HfKeys count, HfKeys ffn) {
  Experts experts;
  experts.count = object.integer(count, 1, most_experts);
  experts.top_k = object.integer({"num_experts_per_tok", "experts_per_token"}, 1, experts.count);
  experts.ffn = object.integer(ffn, 1, widest);
  return experts;
}

/// "mlp_only_layers": those at the front can be built.
std::int64_t dense_layers(const HfObject& object) {
  const auto list = object.find({"mlp_only_layers"});
  if (!list) return 0;
  const std::vector<json::Value> layers = list->elements();
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (layers[i].as_integer(0, 1 << 20) != static_cast<std::int64_t>(i))
      layers[i].fail("only dense layers at the front (0, 1, ...) can be built");
  return static_cast<std::int64_t>(layers.size());
}

}  // namespace

TransformerConfig read_llama(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.qkv_bias = config.output_bias = object.flag({"attention_bias"}, false);
  config.mlp_bias = object.flag({"mlp_bias"}, false);
  return config;
}

TransformerConfig read_mistral(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.window = window(object, config);
  return config;
}

TransformerConfig read_mixtral(const HfObject& object) {
  TransformerConfig config = read_mistral(object);
  config.experts = routed(object, {"num_local_experts"}, {"intermediate_size"});
  return config;
}

TransformerConfig read_qwen(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.ffn /= 2;  // its MLP halves the stated size
  config.qkv_bias = config.fused_projections = true;
  return config;
}

TransformerConfig read_qwen2(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.qkv_bias = object.flag({"attention_bias", "qkv_bias"}, true);
  if (object.flag({"use_sliding_window"}, false)) config.window = window(object, config);
  return config;
}

TransformerConfig read_qwen2_moe(const HfObject& object) {
  TransformerConfig config = read_qwen2(object);
  config.experts = routed(object, {"num_experts"}, {"moe_intermediate_size"});
  config.experts.shared_ffn = object.integer_or({"shared_expert_intermediate_size"}, 0, 0, widest);
  config.experts.shared_gate = config.experts.shared_ffn > 0;
  config.experts.every = object.integer_or({"decoder_sparse_step"}, 1, 1, config.layers);
  config.experts.first_dense = dense_layers(object);
  return config;
}

TransformerConfig read_qwen3(const HfObject& object) {
  TransformerConfig config = gated(object);
  if (config.head_size == 0) config.head_size = 128;
  config.qkv_bias = config.output_bias = object.flag({"attention_bias", "qkv_bias"}, false);
  config.query_key_norm = QueryKeyNorm::per_head;
  if (object.flag({"use_sliding_window"}, false)) config.window = window(object, config);
  return config;
}

TransformerConfig read_qwen3_moe(const HfObject& object) {
  TransformerConfig config = read_qwen3(object);
  config.experts = routed(object, {"num_experts"}, {"moe_intermediate_size"});
  config.experts.every = object.integer_or({"decoder_sparse_step"}, 1, 1, config.layers);
  config.experts.first_dense = dense_layers(object);
  return config;
}

TransformerConfig read_deepseek(const HfObject& object) {
  TransformerConfig config = gated(object);
  LatentAttention& latent = config.latent;
  latent.query_rank = object.integer_or({"q_lora_rank"}, 0, 0, 1 << 20);
  latent.key_value_rank = object.integer({"kv_lora_rank"}, 1, 1 << 20);
  latent.plain_size = object.integer({"qk_nope_head_dim"}, 1, 1 << 16);
  latent.rotary_size = object.integer({"qk_rope_head_dim"}, 1, 1 << 16);
  latent.value_size = object.integer({"v_head_dim"}, 1, 1 << 16);
  if (const auto bias = object.find({"attention_bias"}); bias && bias->as_bool())
    bias->fail("latent attention with biases cannot be built");
  const HfKeys count{"n_routed_experts", "num_routed_experts"};
  if (!object.find(count)) return config;  // dense
  config.experts = routed(object, count, {"moe_intermediate_size"});
  config.experts.shared_ffn =
      config.experts.ffn *
      object.integer_or({"n_shared_experts", "num_shared_experts"}, 0, 0, most_experts);
  config.experts.first_dense = object.integer_or({"first_k_dense_replace"}, 0, 0, config.layers);
  config.experts.every = object.integer_or({"moe_layer_freq"}, 1, 1, config.layers);
  config.experts.selection_bias = object.text("topk_method", "") == "noaux_tc";
  return config;
}

TransformerConfig read_llama4(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.qkv_bias = config.output_bias = object.flag({"attention_bias"}, false);
  config.experts = routed(object, {"num_local_experts"}, {"intermediate_size"});
  config.experts.shared_ffn = config.experts.ffn;
  config.experts.every = object.integer_or({"interleave_moe_layer_step"}, 1, 1, config.layers);
  config.ffn = object.integer({"intermediate_size_mlp"}, 1, widest);
  // Three of four layers attend within chunks; every fourth, without rotation, to all.
  config.window = object.integer_or({"attention_chunk_size"}, 0, 0, 1 << 28);
  config.window_period = config.window > 0 ? 4 : 1;
  return config;
}

TransformerConfig read_gpt_oss(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.qkv_bias = config.output_bias = object.flag({"attention_bias"}, true);
  config.sinks = true;
  config.window = window(object, config);
  read_layer_types(object, config);
  config.experts = routed(object, {"num_local_experts"}, {"intermediate_size"});
  config.experts.biases = true;
  return config;
}

TransformerConfig read_minimax(const HfObject& object) {
  TransformerConfig config = gated(object);
  if (object.flag({"use_qk_norm"}, false)) config.query_key_norm = QueryKeyNorm::whole;
  config.experts = routed(object, {"num_local_experts"}, {"intermediate_size"});
  config.experts.selection_bias = object.flag({"use_routing_bias"}, false);
  return config;
}

TransformerConfig read_phi3(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.fused_projections = true;
  config.window = window(object, config);
  config.hidden_dropout = object.dropout({"resid_pdrop"});
  return config;
}

TransformerConfig read_phimoe(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.norm = NormKind::layer_norm;
  config.norm_bias = true;
  config.qkv_bias = config.output_bias = object.flag({"attention_bias"}, false);
  config.head_bias = object.flag({"lm_head_bias"}, false);
  config.window = window(object, config);
  config.experts = routed(object, {"num_local_experts"}, {"intermediate_size"});
  return config;
}

TransformerConfig read_gemma(const HfObject& object) {
  TransformerConfig config = gated(object, true);
  if (config.head_size == 0) config.head_size = 256;
  if (!object.find({"hidden_act", "hidden_activation"})) config.activation = Activation::gelu;
  return config;
}

TransformerConfig read_gemma2(const HfObject& object) {
  TransformerConfig config = read_gemma(object);
  config.norm_place = NormPlace::sandwich;
  config.window = object.integer_or({"sliding_window"}, 4096, 1, 1 << 28);
  config.window_period = 2;
  return config;
}

TransformerConfig read_nemotron(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.norm = NormKind::layer_norm;
  config.norm_bias = true;
  config.gated = false;
  config.qkv_bias = config.output_bias = object.flag({"attention_bias"}, false);
  config.mlp_bias = object.flag({"mlp_bias"}, false);
  return config;
}

TransformerConfig read_chatglm(const HfObject& object) {
  TransformerConfig config = gated(object);
  if (!object.flag({"multi_query_attention"}, false)) config.kv_heads = config.heads;
  config.fused_projections = true;
  config.qkv_bias = object.flag({"add_qkv_bias"}, false);
  config.output_bias = config.mlp_bias = object.flag({"add_bias_linear"}, true);
  if (!object.flag({"rmsnorm"}, true)) {
    config.norm = NormKind::layer_norm;
    config.norm_bias = true;
  }
  config.hidden_dropout = object.dropout({"hidden_dropout"});
  return config;
}

TransformerConfig read_stablelm(const HfObject& object) {
  TransformerConfig config = gated(object);
  config.norm = NormKind::layer_norm;
  config.norm_bias = true;
  config.qkv_bias = object.flag({"use_qkv_bias"}, false);
  config.parallel_blocks = object.flag({"use_parallel_residual"}, false);
  return config;
}

}  // namespace dsim
