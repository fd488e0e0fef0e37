// Every value of a config.json replaced by every kind of nonsense: a model is built or an
// InputError says where; nothing else happens.
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "model/workload/transformer/hf_config.h"

namespace dsim {
namespace {

const std::string texts[] = {
    R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4,
      "num_key_value_heads": 2, "head_dim": 16, "num_hidden_layers": 2, "vocab_size": 100,
      "max_position_embeddings": 256, "hidden_act": "silu", "tie_word_embeddings": true})",
    R"({"architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64, "intermediate_size": 96,
      "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 100, "q_lora_rank": 16,
      "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8,
      "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
      "n_shared_experts": 1, "first_k_dense_replace": 1, "moe_layer_freq": 1,
      "topk_method": "noaux_tc"})",
    R"({"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100,
      "n_positions": 64, "n_inner": 128, "embd_pdrop": 0.1, "attn_pdrop": 0.1, "resid_pdrop": 0.1})",
    R"({"model_type": "falcon", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
      "num_kv_heads": 2, "new_decoder_architecture": true, "vocab_size": 100, "alibi": false,
      "bias": false})",
    R"({"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100,
      "expansion_ratio": 4, "no_bias": true, "attn_config": {"alibi": true, "kv_n_heads": 2}})",
    R"({"model_type": "gpt_oss", "hidden_size": 64, "intermediate_size": 96, "head_dim": 16,
      "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 100,
      "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 8,
      "layer_types": ["sliding_attention", "full_attention"]})",
    R"({"model_type": "qwen3_moe", "hidden_size": 64, "intermediate_size": 96, "head_dim": 16,
      "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 100,
      "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
      "decoder_sparse_step": 1, "mlp_only_layers": [0]})",
    R"({"hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4, "num_hidden_layers": 2,
      "vocab_size": 100, "max_position_embeddings": 64, "type_vocab_size": 2, "hidden_act": "gelu",
      "attention_probs_dropout_prob": 0.1})",
};

const std::string nonsense[] = {"-1",   "0",     "1",   "3",    "7",       "1000000000",
                                "-0.5", "1e99",  "1.5", "true", "null",    "[]",
                                "{}",   "\"x\"", "[0]", "[[]]", "[\"x\"]", "4611686018427387904"};

/// Where the values of an object's keys begin and end, nested ones as a whole.
std::vector<std::pair<std::size_t, std::size_t>> values_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') ++depth;
    if (depth == 1 && c == ':') begin = i + 1;
    if (depth == 1 && (c == ',' || c == '}') && begin > 0) {
      result.emplace_back(begin, i);
      begin = 0;
    }
    if (c == '}' || c == ']') --depth;
  }
  return result;
}

}  // namespace

TEST_CASE("a config.json of nonsense is a model or an InputError with its place", "[transformer]") {
  int built = 0, refused = 0;
  for (const std::string& text : texts)
    for (const auto& [begin, end] : values_of(text))
      for (const std::string& other : nonsense) {
        const std::string changed = text.substr(0, begin) + other + text.substr(end);
        INFO(changed);
        try {
          const json::Document document = json::Document::parse(changed, "config.json");
          const auto kind = hf_model(document.root(), "model");
          const Model model = kind->build(*kind, {1, 8});
          REQUIRE(model.parameter_count() > 0);
          REQUIRE(std::isfinite(model.model_flops));
          REQUIRE(model.model_flops > 0);
          for (const Layer& layer : model.layers) REQUIRE(layer.saved_bytes > 0);
          ++built;
        } catch (const InputError& error) {
          const std::string message = error.what();
          REQUIRE_THAT(message, Catch::StartsWith("config.json:") || Catch::StartsWith("error: "));
          ++refused;
        }
      }
  CHECK(built > 100);
  CHECK(refused > 500);
}

}  // namespace dsim
