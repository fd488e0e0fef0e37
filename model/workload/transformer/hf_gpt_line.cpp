// Families of GPT's and BERT's line: LayerNorm and an MLP of two layers. What a key means when it
// is missing is the default of the family's configuration class in Hugging Face Transformers.
#include <algorithm>

#include "model/workload/transformer/hf_families.h"

namespace dsim {
namespace {

TransformerConfig plain(const HfObject& object, bool tied, Activation activation,
                        std::int64_t ffn_times_hidden = 4) {
  TransformerConfig config = hf_dimensions(object, ffn_times_hidden);
  config.norm = NormKind::layer_norm;
  config.norm_bias = true;
  config.gated = false;
  config.activation = object.activation({"activation_function", "hidden_act"}, activation);
  config.tied = object.flag({"tie_word_embeddings"}, tied);
  return config;
}

void all_biases(TransformerConfig& config, bool biases = true) {
  config.qkv_bias = config.output_bias = config.mlp_bias = biases;
}

}  // namespace

TransformerConfig read_gpt2(const HfObject& object) {
  TransformerConfig config = plain(object, true, Activation::gelu);
  config.position = PositionScheme::learned;
  config.fused_projections = true;
  all_biases(config);
  config.embedding_dropout = object.dropout({"embd_pdrop"}, 0.1);
  config.attention_dropout = object.dropout({"attn_pdrop"}, 0.1);
  config.hidden_dropout = object.dropout({"resid_pdrop"}, 0.1);
  return config;
}

TransformerConfig read_gpt_bigcode(const HfObject& object) {
  TransformerConfig config = read_gpt2(object);
  if (object.flag({"multi_query"}, true)) config.kv_heads = 1;
  return config;
}

TransformerConfig read_gpt_j(const HfObject& object) {
  TransformerConfig config = plain(object, false, Activation::gelu);
  config.mlp_bias = config.head_bias = config.parallel_blocks = true;
  config.fused_projections = object.text("model_type", "") == "codegen";
  config.embedding_dropout = object.dropout({"embd_pdrop"});
  config.attention_dropout = object.dropout({"attn_pdrop"});
  config.hidden_dropout = object.dropout({"resid_pdrop"});
  return config;
}

TransformerConfig read_gpt_neox(const HfObject& object) {
  TransformerConfig config = plain(object, false, Activation::gelu, 0);
  all_biases(config);
  config.qkv_bias = config.output_bias = object.flag({"attention_bias"}, true);
  config.fused_projections = true;
  config.parallel_blocks = config.parallel_norms = object.flag({"use_parallel_residual"}, true);
  config.attention_dropout = object.dropout({"attention_dropout", "attention_probs_dropout_prob"});
  config.hidden_dropout = object.dropout({"hidden_dropout", "hidden_dropout_prob"});
  return config;
}

TransformerConfig read_opt(const HfObject& object) {
  TransformerConfig config = plain(object, true, Activation::relu, 0);
  if (const auto width = object.find({"word_embed_proj_dim"});
      width && width->as_integer() != config.hidden)
    width->fail("embeddings of another width than the hidden size cannot be built");
  if (const auto before = object.find({"do_layer_norm_before"}); before && !before->as_bool())
    config.norm_place = NormPlace::post;
  config.position = PositionScheme::learned;
  config.positions += 2;  // its table has two more rows
  all_biases(config, object.flag({"enable_bias"}, true));
  config.attention_dropout = object.dropout({"attention_dropout"});
  config.hidden_dropout = object.dropout({"dropout"}, 0.1);
  return config;
}

TransformerConfig read_bloom(const HfObject& object) {
  TransformerConfig config = plain(object, true, Activation::gelu);
  config.position = PositionScheme::alibi;
  config.embedding_norm = config.fused_projections = true;
  all_biases(config);
  config.attention_dropout = object.dropout({"attention_dropout"});
  config.hidden_dropout = object.dropout({"hidden_dropout"});
  return config;
}

TransformerConfig read_mpt(const HfObject& object) {
  const std::int64_t ratio = object.integer_or({"expansion_ratio"}, 4, 1, 1024);
  TransformerConfig config = plain(object, true, Activation::gelu, ratio);
  config.fused_projections = true;
  config.norm_bias = !object.flag({"no_bias"}, true);
  all_biases(config, config.norm_bias);
  config.position = PositionScheme::learned;
  if (const auto attention = object.find({"attn_config"})) {
    const HfObject inner(*attention);
    if (inner.flag({"alibi"}, true)) config.position = PositionScheme::alibi;
    config.kv_heads = inner.integer_or({"kv_n_heads"}, config.heads, 1, config.heads);
    config.attention_dropout = inner.dropout({"attn_pdrop"});
  }
  config.hidden_dropout = object.dropout({"resid_pdrop"});
  return config;
}

TransformerConfig read_falcon(const HfObject& object) {
  TransformerConfig config = plain(object, true, Activation::gelu);
  const bool new_decoder = object.flag({"new_decoder_architecture"}, false);
  if (new_decoder)
    config.kv_heads = object.integer_or({"num_kv_heads"}, config.heads, 1, config.heads);
  else if (object.flag({"multi_query"}, true))
    config.kv_heads = 1;
  if (config.heads % config.kv_heads != 0)
    object.find({"num_kv_heads"})->fail("key-value heads must divide the heads");
  if (object.flag({"alibi"}, false)) config.position = PositionScheme::alibi;
  config.fused_projections = true;
  all_biases(config, object.flag({"bias"}, false));
  config.parallel_blocks = new_decoder || object.flag({"parallel_attn"}, true);
  config.parallel_norms = new_decoder;
  config.attention_dropout = object.dropout({"attention_dropout"});
  config.hidden_dropout = object.dropout({"hidden_dropout"});
  return config;
}

TransformerConfig read_phi(const HfObject& object) {
  TransformerConfig config = plain(object, false, Activation::gelu, 0);
  all_biases(config);
  config.head_bias = config.parallel_blocks = true;
  if (object.flag({"qk_layernorm"}, false)) config.query_key_norm = QueryKeyNorm::per_head;
  config.embedding_dropout = object.dropout({"embd_pdrop"});
  config.attention_dropout = object.dropout({"attention_dropout"});
  config.hidden_dropout = object.dropout({"resid_pdrop"});
  return config;
}

/// The masked language model alone, on every token.
TransformerConfig read_bert(const HfObject& object) {
  TransformerConfig config = plain(object, true, Activation::gelu, 0);
  config.causal = config.final_norm = false;
  config.position = PositionScheme::learned;
  config.norm_place = NormPlace::post;
  config.embedding_norm = config.masked_head = config.head_bias = true;
  config.token_types = object.integer_or({"type_vocab_size"}, 2, 0, 1 << 20);
  all_biases(config);
  config.embedding_dropout = config.hidden_dropout = object.dropout({"hidden_dropout_prob"}, 0.1);
  config.attention_dropout = object.dropout({"attention_probs_dropout_prob"}, 0.1);
  return config;
}

}  // namespace dsim
