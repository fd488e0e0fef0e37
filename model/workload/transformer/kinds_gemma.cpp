// Gemma (arXiv:2403.08295) and Gemma 2 (arXiv:2408.00118), by their config.json files on Hugging
// Face.
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr TransformerConfig gemma(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                  std::int64_t heads, std::int64_t kv_heads, std::int64_t head_size,
                                  std::int64_t ffn) {
  TransformerConfig config = llama(title, layers, hidden, heads, kv_heads, ffn, 256000, 8192);
  config.head_size = head_size;
  config.activation = Activation::gelu;
  config.tied = true;
  return config;
}

constexpr TransformerConfig gemma2(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                   std::int64_t heads, std::int64_t kv_heads,
                                   std::int64_t head_size, std::int64_t ffn) {
  TransformerConfig config = gemma(title, layers, hidden, heads, kv_heads, head_size, ffn);
  config.norm_place = NormPlace::sandwich;
  config.window = 4096;
  config.window_period = 2;
  return config;
}

constexpr TransformerRow rows[] = {
    {"gemma-2b", "Gemma, 2.51 G parameters", 1, 8192,
     gemma("Gemma 2B", 18, 2048, 8, 1, 256, 16384)},
    {"gemma-7b", "Gemma, 8.54 G parameters", 1, 8192,
     gemma("Gemma 7B", 28, 3072, 16, 16, 256, 24576)},
    {"gemma2-9b", "Gemma 2, 9.24 G parameters", 1, 8192,
     gemma2("Gemma 2 9B", 42, 3584, 16, 8, 256, 14336)},
    {"gemma2-27b", "Gemma 2, 27.2 G parameters", 1, 8192,
     gemma2("Gemma 2 27B", 46, 4608, 32, 16, 128, 36864)},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> gemma_kinds() { return kinds; }

}  // namespace dsim
