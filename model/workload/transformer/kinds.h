#pragma once
// Published transformer language models by family. Dimensions are those of the reports and the
// released config.json files that each table names.
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "model/workload/model.h"
#include "model/workload/transformer/build.h"
#include "model/workload/transformer/config.h"

namespace dsim {

std::span<const ModelKind> gpt3_kinds();     ///< GPT-3 and Megatron-LM
std::span<const ModelKind> mpt_kinds();      ///< MosaicML llm-foundry
std::span<const ModelKind> llama_kinds();    ///< Llama 2 and 3
std::span<const ModelKind> mistral_kinds();  ///< Mistral, Mixtral, Grok
std::span<const ModelKind> deepseek_kinds();
std::span<const ModelKind> qwen_kinds();
std::span<const ModelKind> nemotron_kinds();
std::span<const ModelKind> gemma_kinds();
std::span<const ModelKind> open_gpt_kinds();  ///< Falcon, BLOOM, OPT, GPT-J, GPT-NeoX, gpt-oss

/// A row of such a table.
struct TransformerRow {
  std::string_view name, help;
  std::int64_t micro_batch = 1, sequence = 2048;
  TransformerConfig config;
};

/// The kinds of a table that lives as long as the program.
template <std::size_t size>
constexpr std::array<ModelKind, size> kinds_of(const TransformerRow (&rows)[size]) {
  std::array<ModelKind, size> kinds{};
  for (std::size_t i = 0; i < size; ++i)
    kinds[i] = {rows[i].name, rows[i].help,      rows[i].micro_batch, rows[i].sequence,
                "adamw",      build_transformer, &rows[i].config};
  return kinds;
}

/// GPT-2 and its successors: learned positions, LayerNorm, biases, GELU of four times the hidden
/// size, tied embeddings.
constexpr TransformerConfig gpt(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                std::int64_t heads, std::int64_t vocabulary,
                                std::int64_t positions) {
  TransformerConfig config;
  config.title = title;
  config.layers = layers;
  config.hidden = hidden;
  config.heads = config.kv_heads = heads;
  config.ffn = 4 * hidden;
  config.vocabulary = vocabulary;
  config.positions = positions;
  config.position = PositionScheme::learned;
  config.norm = NormKind::layer_norm;
  config.norm_bias = true;
  config.activation = Activation::gelu;
  config.gated = false;
  config.fused_projections = true;
  config.qkv_bias = config.output_bias = config.mlp_bias = true;
  config.tied = true;
  config.embedding_dropout = config.attention_dropout = config.hidden_dropout = true;
  return config;
}

/// Llama and its successors: rotary positions, RMSNorm, gated SiLU, no biases.
constexpr TransformerConfig llama(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                  std::int64_t heads, std::int64_t kv_heads, std::int64_t ffn,
                                  std::int64_t vocabulary, std::int64_t positions) {
  TransformerConfig config;
  config.title = title;
  config.layers = layers;
  config.hidden = hidden;
  config.heads = heads;
  config.kv_heads = kv_heads;
  config.ffn = ffn;
  config.vocabulary = vocabulary;
  config.positions = positions;
  return config;
}

}  // namespace dsim
