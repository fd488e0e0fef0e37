// DeepSeek-V2 (arXiv:2405.04434) and V3 (arXiv:2412.19437; without the multi-token prediction
// module) and Kimi K2, by their config.json files on Hugging Face.
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr LatentAttention latent(std::int64_t query_rank) {
  return {query_rank, 512, 128, 64, 128};
}

constexpr TransformerConfig deepseek(std::string_view title, std::int64_t layers,
                                     std::int64_t hidden, std::int64_t heads,
                                     std::int64_t query_rank, std::int64_t ffn,
                                     std::int64_t vocabulary, Experts experts) {
  TransformerConfig config = llama(title, layers, hidden, heads, heads, ffn, vocabulary, 163840);
  config.latent = latent(query_rank);
  config.experts = experts;
  return config;
}

constexpr Experts experts(std::int64_t count, std::int64_t top_k, std::int64_t ffn,
                          std::int64_t shared, std::int64_t first_dense, bool selection_bias) {
  Experts result;
  result.count = count;
  result.top_k = top_k;
  result.ffn = ffn;
  result.shared_ffn = shared * ffn;
  result.first_dense = first_dense;
  result.selection_bias = selection_bias;
  return result;
}

constexpr TransformerRow rows[] = {
    {"deepseek-v2-lite", "DeepSeek-V2-Lite, 15.7 G parameters, 64 experts", 1, 4096,
     deepseek("DeepSeek-V2-Lite", 27, 2048, 16, 0, 10944, 102400,
              experts(64, 6, 1408, 2, 1, false))},
    {"deepseek-v2", "DeepSeek-V2, 236 G parameters, 160 experts", 1, 4096,
     deepseek("DeepSeek-V2", 60, 5120, 128, 1536, 12288, 102400,
              experts(160, 6, 1536, 2, 1, false))},
    {"deepseek-v3", "DeepSeek-V3, 671 G parameters, 256 experts", 1, 4096,
     deepseek("DeepSeek-V3", 61, 7168, 128, 1536, 18432, 129280,
              experts(256, 8, 2048, 1, 3, true))},
    {"kimi-k2", "Kimi K2, 1.03 T parameters, 384 experts", 1, 4096,
     deepseek("Kimi K2", 61, 7168, 64, 1536, 18432, 163840, experts(384, 8, 2048, 1, 1, true))},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> deepseek_kinds() { return kinds; }

}  // namespace dsim
