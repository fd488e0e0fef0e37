#pragma once
// Architectures of Hugging Face Transformers that dsim can build, and those it cannot.
#include <span>
#include <string_view>

#include "model/workload/transformer/config.h"
#include "model/workload/transformer/hf_object.h"

namespace dsim {

/// How a family's config.json is read.
struct HfFamily {
  std::string_view model_type;    ///< "llama"
  std::string_view architecture;  ///< "LlamaForCausalLM"
  TransformerConfig (*read)(const HfObject& object);
};

/// A family that cannot be built, and why.
struct HfRefusal {
  std::string_view model_type;
  std::string_view reason;
};

std::span<const HfFamily> hf_families();
std::span<const HfRefusal> hf_refusals();

/// Dimensions that all families state: layers, hidden size, heads and their size, MLP, vocabulary,
/// positions. InputError: heads that do not divide, missing and absurd sizes.
TransformerConfig hf_dimensions(const HfObject& object, std::int64_t ffn_times_hidden = 0);

/// Llama's and GPT's line, by family.
TransformerConfig read_llama(const HfObject& object);
TransformerConfig read_mistral(const HfObject& object);
TransformerConfig read_mixtral(const HfObject& object);
TransformerConfig read_qwen(const HfObject& object);
TransformerConfig read_qwen2(const HfObject& object);
TransformerConfig read_qwen2_moe(const HfObject& object);
TransformerConfig read_qwen3(const HfObject& object);
TransformerConfig read_qwen3_moe(const HfObject& object);
TransformerConfig read_deepseek(const HfObject& object);
TransformerConfig read_llama4(const HfObject& object);
TransformerConfig read_gpt_oss(const HfObject& object);
TransformerConfig read_minimax(const HfObject& object);
TransformerConfig read_phi3(const HfObject& object);
TransformerConfig read_phimoe(const HfObject& object);
TransformerConfig read_gemma(const HfObject& object);
TransformerConfig read_gemma2(const HfObject& object);
TransformerConfig read_nemotron(const HfObject& object);
TransformerConfig read_chatglm(const HfObject& object);
TransformerConfig read_stablelm(const HfObject& object);
TransformerConfig read_gpt2(const HfObject& object);
TransformerConfig read_gpt_bigcode(const HfObject& object);
TransformerConfig read_gpt_j(const HfObject& object);
TransformerConfig read_gpt_neox(const HfObject& object);
TransformerConfig read_opt(const HfObject& object);
TransformerConfig read_bloom(const HfObject& object);
TransformerConfig read_mpt(const HfObject& object);
TransformerConfig read_falcon(const HfObject& object);
TransformerConfig read_phi(const HfObject& object);
TransformerConfig read_bert(const HfObject& object);

}  // namespace dsim
