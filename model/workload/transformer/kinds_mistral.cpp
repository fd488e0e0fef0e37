// Mistral 7B (arXiv:2310.06825), Mixtral (arXiv:2401.04088 and the config.json files of mistralai
// on Hugging Face) and Grok-1 (xai-org/grok-1, run.py).
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr TransformerConfig mixtral(std::string_view title, std::int64_t layers,
                                    std::int64_t hidden, std::int64_t heads, std::int64_t ffn,
                                    std::int64_t vocabulary, std::int64_t positions) {
  TransformerConfig config = llama(title, layers, hidden, heads, 8, ffn, vocabulary, positions);
  config.experts.count = 8;
  config.experts.top_k = 2;
  config.experts.ffn = ffn;
  return config;
}

constexpr TransformerConfig mistral() {
  TransformerConfig config = llama("Mistral 7B", 32, 4096, 32, 8, 14336, 32000, 32768);
  config.window = 4096;
  return config;
}

constexpr TransformerConfig grok() {
  TransformerConfig config = mixtral("Grok-1", 64, 6144, 48, 32768, 131072, 8192);
  config.head_size = 128;
  config.activation = Activation::gelu;
  config.norm_place = NormPlace::sandwich;
  config.tied = true;
  return config;
}

constexpr TransformerRow rows[] = {
    {"mistral-7b", "Mistral, 7.24 G parameters", 1, 8192, mistral()},
    {"mixtral-8x7b", "Mixtral, 46.7 G parameters, 8 experts", 1, 4096,
     mixtral("Mixtral 8x7B", 32, 4096, 32, 14336, 32000, 32768)},
    {"mixtral-8x22b", "Mixtral, 141 G parameters, 8 experts", 1, 4096,
     mixtral("Mixtral 8x22B", 56, 6144, 48, 16384, 32000, 65536)},
    {"grok1", "Grok-1, 314 G parameters, 8 experts", 1, 8192, grok()},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> mistral_kinds() { return kinds; }

}  // namespace dsim
