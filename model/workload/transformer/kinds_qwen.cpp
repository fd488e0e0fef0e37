// Qwen2 (arXiv:2407.10671), Qwen2.5 (arXiv:2412.15115) and Qwen3 (arXiv:2505.09388), by their
// config.json files on Hugging Face.
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr std::int64_t small_vocabulary = 151936, large_vocabulary = 152064;

constexpr TransformerConfig qwen2(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                  std::int64_t heads, std::int64_t kv_heads, std::int64_t ffn,
                                  bool tied) {
  TransformerConfig config = llama(title, layers, hidden, heads, kv_heads, ffn,
                                   tied ? small_vocabulary : large_vocabulary, 32768);
  config.qkv_bias = true;
  config.tied = tied;
  return config;
}

constexpr TransformerConfig qwen2_moe() {
  TransformerConfig config = qwen2("Qwen2 57B-A14B", 28, 3584, 28, 4, 18944, false);
  config.vocabulary = small_vocabulary;
  config.experts.count = 64;
  config.experts.top_k = 8;
  config.experts.ffn = 2560;
  config.experts.shared_ffn = 20480;
  config.experts.shared_gate = true;
  return config;
}

constexpr TransformerConfig qwen3(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                  std::int64_t heads, std::int64_t kv_heads, std::int64_t ffn,
                                  bool tied = false) {
  TransformerConfig config =
      llama(title, layers, hidden, heads, kv_heads, ffn, small_vocabulary, 40960);
  config.head_size = 128;
  config.query_key_norm = QueryKeyNorm::per_head;
  config.tied = tied;
  return config;
}

constexpr TransformerConfig qwen3_moe(std::string_view title, std::int64_t layers,
                                      std::int64_t hidden, std::int64_t heads,
                                      std::int64_t kv_heads, std::int64_t ffn, std::int64_t experts,
                                      std::int64_t expert_ffn) {
  TransformerConfig config = qwen3(title, layers, hidden, heads, kv_heads, ffn);
  config.experts.count = experts;
  config.experts.top_k = 8;
  config.experts.ffn = expert_ffn;
  return config;
}

constexpr TransformerRow rows[] = {
    {"qwen2-0.5b", "Qwen2, 494 M parameters", 4, 4096,
     qwen2("Qwen2 0.5B", 24, 896, 14, 2, 4864, true)},
    {"qwen2-1.5b", "Qwen2, 1.54 G parameters", 2, 4096,
     qwen2("Qwen2 1.5B", 28, 1536, 12, 2, 8960, true)},
    {"qwen2.5-3b", "Qwen2.5, 3.09 G parameters", 1, 4096,
     qwen2("Qwen2.5 3B", 36, 2048, 16, 2, 11008, true)},
    {"qwen2-7b", "Qwen2, 7.62 G parameters", 1, 4096,
     qwen2("Qwen2 7B", 28, 3584, 28, 4, 18944, false)},
    {"qwen2.5-14b", "Qwen2.5, 14.8 G parameters", 1, 4096,
     qwen2("Qwen2.5 14B", 48, 5120, 40, 8, 13824, false)},
    {"qwen2.5-32b", "Qwen2.5, 32.8 G parameters", 1, 4096,
     qwen2("Qwen2.5 32B", 64, 5120, 40, 8, 27648, false)},
    {"qwen2-72b", "Qwen2, 72.7 G parameters", 1, 4096,
     qwen2("Qwen2 72B", 80, 8192, 64, 8, 29568, false)},
    {"qwen2-57b-a14b", "Qwen2, 57.4 G parameters, 64 experts", 1, 4096, qwen2_moe()},
    {"qwen3-0.6b", "Qwen3, 596 M parameters", 2, 4096,
     qwen3("Qwen3 0.6B", 28, 1024, 16, 8, 3072, true)},
    {"qwen3-1.7b", "Qwen3, 1.72 G parameters", 2, 4096,
     qwen3("Qwen3 1.7B", 28, 2048, 16, 8, 6144, true)},
    {"qwen3-4b", "Qwen3, 4.02 G parameters", 1, 4096,
     qwen3("Qwen3 4B", 36, 2560, 32, 8, 9728, true)},
    {"qwen3-8b", "Qwen3, 8.19 G parameters", 1, 4096, qwen3("Qwen3 8B", 36, 4096, 32, 8, 12288)},
    {"qwen3-14b", "Qwen3, 14.8 G parameters", 1, 4096, qwen3("Qwen3 14B", 40, 5120, 40, 8, 17408)},
    {"qwen3-32b", "Qwen3, 32.8 G parameters", 1, 4096, qwen3("Qwen3 32B", 64, 5120, 64, 8, 25600)},
    {"qwen3-30b-a3b", "Qwen3, 30.5 G parameters, 128 experts", 1, 4096,
     qwen3_moe("Qwen3 30B-A3B", 48, 2048, 32, 4, 6144, 128, 768)},
    {"qwen3-235b-a22b", "Qwen3, 235 G parameters, 128 experts", 1, 4096,
     qwen3_moe("Qwen3 235B-A22B", 94, 4096, 64, 4, 12288, 128, 1536)},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> qwen_kinds() { return kinds; }

}  // namespace dsim
