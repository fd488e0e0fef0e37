// Nemotron-4 (arXiv:2402.16819, arXiv:2406.11704; NVIDIA NeMo recipes): squared ReLU, LayerNorm,
// no other biases, untied embeddings.
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr TransformerConfig nemotron(std::string_view title, std::int64_t layers,
                                     std::int64_t hidden, std::int64_t heads) {
  TransformerConfig config = llama(title, layers, hidden, heads, 8, 4 * hidden, 256000, 4096);
  config.norm = NormKind::layer_norm;
  config.norm_bias = true;
  config.activation = Activation::squared_relu;
  config.gated = false;
  return config;
}

constexpr TransformerRow rows[] = {
    {"nemotron4-15b", "Nemotron-4, 15.6 G parameters", 1, 4096,
     nemotron("Nemotron-4 15B", 32, 6144, 48)},
    {"nemotron4-340b", "Nemotron-4, 341 G parameters", 1, 4096,
     nemotron("Nemotron-4 340B", 96, 18432, 96)},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> nemotron_kinds() { return kinds; }

}  // namespace dsim
