#include "model/workload/transformer/hf_families.h"

#include <fmt/format.h>

namespace dsim {
namespace {

constexpr HfFamily families[] = {
    {"llama", "LlamaForCausalLM", read_llama},
    {"llama4", "Llama4ForConditionalGeneration", read_llama4},
    {"llama4_text", "Llama4ForCausalLM", read_llama4},
    {"mistral", "MistralForCausalLM", read_mistral},
    {"mixtral", "MixtralForCausalLM", read_mixtral},
    {"qwen", "QWenLMHeadModel", read_qwen},
    {"qwen2", "Qwen2ForCausalLM", read_qwen2},
    {"mimo", "MiMoForCausalLM", read_qwen2},
    {"qwen2_moe", "Qwen2MoeForCausalLM", read_qwen2_moe},
    {"qwen3", "Qwen3ForCausalLM", read_qwen3},
    {"qwen3_moe", "Qwen3MoeForCausalLM", read_qwen3_moe},
    {"deepseek_v2", "DeepseekV2ForCausalLM", read_deepseek},
    {"deepseek_v3", "DeepseekV3ForCausalLM", read_deepseek},
    {"kimi_k2", "KimiK2ForCausalLM", read_deepseek},
    {"gpt_oss", "GptOssForCausalLM", read_gpt_oss},
    {"minimax_m2", "MiniMaxM2ForCausalLM", read_minimax},
    {"phi", "PhiForCausalLM", read_phi},
    {"phi3", "Phi3ForCausalLM", read_phi3},
    {"phimoe", "PhiMoEForCausalLM", read_phimoe},
    {"gemma", "GemmaForCausalLM", read_gemma},
    {"gemma2", "Gemma2ForCausalLM", read_gemma2},
    {"nemotron", "NemotronForCausalLM", read_nemotron},
    {"baichuan", "BaichuanForCausalLM", read_llama},
    {"chatglm", "ChatGLMModel", read_chatglm},
    {"stablelm", "StableLmForCausalLM", read_stablelm},
    {"gpt2", "GPT2LMHeadModel", read_gpt2},
    {"gpt_bigcode", "GPTBigCodeForCausalLM", read_gpt_bigcode},
    {"gptj", "GPTJForCausalLM", read_gpt_j},
    {"codegen", "CodeGenForCausalLM", read_gpt_j},
    {"gpt_neox", "GPTNeoXForCausalLM", read_gpt_neox},
    {"opt", "OPTForCausalLM", read_opt},
    {"bloom", "BloomForCausalLM", read_bloom},
    {"mpt", "MptForCausalLM", read_mpt},
    {"falcon", "FalconForCausalLM", read_falcon},
    {"bert", "BertForMaskedLM", read_bert},
    {"roberta", "RobertaForMaskedLM", read_bert},
};

constexpr std::string_view encoder_decoder = "an encoder and a decoder";
constexpr std::string_view images = "images or sound beside text";
constexpr std::string_view state_space = "state-space (Mamba) layers";
constexpr std::string_view linear_attention = "linear-attention layers";
constexpr std::string_view indexer = "sparse attention that an indexer steers";

constexpr HfRefusal refusals[] = {
    {"t5", encoder_decoder},
    {"mt5", encoder_decoder},
    {"bart", encoder_decoder},
    {"whisper", encoder_decoder},
    {"albert", "one set of parameters for all layers"},
    {"git", images},
    {"mllama", images},
    {"llava", images},
    {"maira2", images},
    {"phi4mm", images},
    {"qwen3_vl", images},
    {"qwen2_vl", images},
    {"qwen2_5_vl", images},
    {"qwen3_5_moe", linear_attention},
    {"qwen3_next", linear_attention},
    {"jamba", state_space},
    {"mamba", state_space},
    {"nemotron_h", state_space},
    {"deepseek_v32", indexer},
    {"glm_moe_dsa", indexer},
    {"yuan", "attention filtered over neighbouring tokens"},
    {"step3p7", "layers of different heads and gates that its config.json does not state"},
};

}  // namespace

std::span<const HfFamily> hf_families() { return families; }
std::span<const HfRefusal> hf_refusals() { return refusals; }

TransformerConfig hf_dimensions(const HfObject& object, std::int64_t ffn_times_hidden) {
  const HfKeys head_keys{"num_attention_heads", "n_head", "n_heads", "num_heads"};
  const HfKeys kv_keys{"num_key_value_heads", "multi_query_group_num"};
  const HfKeys ffn_keys{"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"};
  constexpr std::int64_t widest = 1 << 20;
  TransformerConfig config;
  config.layers =
      object.integer({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, 1, 4096);
  config.hidden = object.integer({"hidden_size", "n_embd", "n_embed", "d_model"}, 1, widest);
  config.heads = object.integer(head_keys, 1, 1 << 16);
  config.kv_heads = object.integer_or(kv_keys, config.heads, 1, config.heads);
  config.head_size = object.integer_or({"head_dim", "kv_channels"}, 0, 1, 1 << 16);
  const bool latent = object.has("kv_lora_rank");  // states the sizes of its heads
  if (!latent && config.head_size == 0 && config.hidden % config.heads != 0)
    object.find(head_keys)->fail(fmt::format("expected a divisor of the hidden size {}, found {}",
                                             config.hidden, config.heads));
  if (config.heads % config.kv_heads != 0)
    object.find(kv_keys)->fail(
        fmt::format("expected a divisor of the {} heads, found {}", config.heads, config.kv_heads));
  config.ffn = ffn_times_hidden > 0
                   ? object.integer_or(ffn_keys, ffn_times_hidden * config.hidden, 1, widest * 16)
                   : object.integer(ffn_keys, 1, widest * 16);
  config.vocabulary = object.integer({"vocab_size", "padded_vocab_size"}, 1, 1 << 27);
  config.positions =
      object.integer_or({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length",
                         "model_max_length", "max_sequence_length", "n_ctx"},
                        2048, 1, 1 << 28);
  return config;
}

}  // namespace dsim
