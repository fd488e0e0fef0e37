// Llama (Touvron et al. 2023, arXiv:2307.09288; Grattafiori et al. 2024, arXiv:2407.21783; the
// config.json files of meta-llama on Hugging Face).
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr TransformerConfig llama3(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                   std::int64_t heads, std::int64_t ffn, bool tied = false) {
  TransformerConfig config = llama(title, layers, hidden, heads, 8, ffn, 128256, 131072);
  config.tied = tied;
  return config;
}

constexpr TransformerRow rows[] = {
    {"llama-7b", "Llama 1, 6.74 G parameters", 1, 2048,
     llama("Llama 7B", 32, 4096, 32, 32, 11008, 32000, 2048)},
    {"llama-13b", "Llama 1, 13 G parameters", 1, 2048,
     llama("Llama 13B", 40, 5120, 40, 40, 13824, 32000, 2048)},
    {"llama-33b", "Llama 1, 32.5 G parameters", 1, 2048,
     llama("Llama 33B", 60, 6656, 52, 52, 17920, 32000, 2048)},
    {"llama-65b", "Llama 1, 65.3 G parameters", 1, 2048,
     llama("Llama 65B", 80, 8192, 64, 64, 22016, 32000, 2048)},
    {"llama2-7b", "Llama 2, 6.74 G parameters", 1, 4096,
     llama("Llama 2 7B", 32, 4096, 32, 32, 11008, 32000, 4096)},
    {"llama2-13b", "Llama 2, 13 G parameters", 1, 4096,
     llama("Llama 2 13B", 40, 5120, 40, 40, 13824, 32000, 4096)},
    {"llama2-70b", "Llama 2, 69 G parameters", 1, 4096,
     llama("Llama 2 70B", 80, 8192, 64, 8, 28672, 32000, 4096)},
    {"llama3.2-1b", "Llama 3.2, 1.24 G parameters", 1, 8192,
     llama3("Llama 3.2 1B", 16, 2048, 32, 8192, true)},
    {"llama3.2-3b", "Llama 3.2, 3.21 G parameters", 1, 8192,
     llama3("Llama 3.2 3B", 28, 3072, 24, 8192, true)},
    {"llama3-8b", "Llama 3, 8.03 G parameters", 1, 8192, llama3("Llama 3 8B", 32, 4096, 32, 14336)},
    {"llama3-70b", "Llama 3, 70.6 G parameters", 1, 8192,
     llama3("Llama 3 70B", 80, 8192, 64, 28672)},
    {"llama3-405b", "Llama 3.1, 406 G parameters", 1, 8192,
     llama3("Llama 3.1 405B", 126, 16384, 128, 53248)},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> llama_kinds() { return kinds; }

}  // namespace dsim
