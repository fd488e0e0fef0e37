// Open models of GPT's line: GPT-J, GPT-NeoX (arXiv:2204.06745), OPT (arXiv:2205.01068), BLOOM
// (arXiv:2211.05100), Falcon (arXiv:2311.16867), gpt-oss, by their config.json files on Hugging
// Face.
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr TransformerConfig without_dropout(TransformerConfig config) {
  config.embedding_dropout = config.attention_dropout = config.hidden_dropout = false;
  return config;
}

constexpr TransformerConfig gpt_j() {
  TransformerConfig config = without_dropout(gpt("GPT-J 6B", 28, 4096, 16, 50400, 2048));
  config.position = PositionScheme::rope;
  config.fused_projections = config.qkv_bias = config.output_bias = config.tied = false;
  config.head_bias = config.parallel_blocks = true;
  return config;
}

constexpr TransformerConfig gpt_neox() {
  TransformerConfig config = without_dropout(gpt("GPT-NeoX 20B", 44, 6144, 64, 50432, 2048));
  config.position = PositionScheme::rope;
  config.tied = false;
  config.parallel_blocks = config.parallel_norms = true;
  return config;
}

constexpr TransformerConfig opt(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                std::int64_t heads) {
  TransformerConfig config = gpt(title, layers, hidden, heads, 50272, 2050);
  config.activation = Activation::relu;
  config.fused_projections = config.embedding_dropout = false;
  return config;
}

constexpr TransformerConfig bloom(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                  std::int64_t heads) {
  TransformerConfig config = without_dropout(gpt(title, layers, hidden, heads, 250880, 2048));
  config.position = PositionScheme::alibi;
  config.embedding_norm = true;
  return config;
}

constexpr TransformerConfig falcon(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                   std::int64_t kv_heads) {
  TransformerConfig config = without_dropout(gpt(title, layers, hidden, hidden / 64, 65024, 2048));
  config.kv_heads = kv_heads;
  config.position = PositionScheme::rope;
  config.qkv_bias = config.output_bias = config.mlp_bias = false;
  config.parallel_blocks = true;
  config.parallel_norms = kv_heads > 1;
  config.tied = layers < 80;  // the checkpoint of 180B holds both tables
  return config;
}

constexpr TransformerConfig gpt_oss(std::string_view title, std::int64_t layers,
                                    std::int64_t experts) {
  TransformerConfig config = llama(title, layers, 2880, 64, 8, 2880, 201088, 131072);
  config.head_size = 64;
  config.qkv_bias = config.output_bias = config.sinks = true;
  config.window = 128;
  config.window_period = 2;
  config.experts.count = experts;
  config.experts.top_k = 4;
  config.experts.ffn = 2880;
  config.experts.biases = true;
  return config;
}

constexpr TransformerRow rows[] = {
    {"gpt-j-6b", "GPT-J, 6.05 G parameters", 1, 2048, gpt_j()},
    {"gpt-neox-20b", "GPT-NeoX, 20.6 G parameters", 1, 2048, gpt_neox()},
    {"opt-1.3b", "OPT, 1.32 G parameters", 4, 2048, opt("OPT 1.3B", 24, 2048, 32)},
    {"opt-6.7b", "OPT, 6.66 G parameters", 1, 2048, opt("OPT 6.7B", 32, 4096, 32)},
    {"opt-13b", "OPT, 12.9 G parameters", 1, 2048, opt("OPT 13B", 40, 5120, 40)},
    {"opt-30b", "OPT, 30 G parameters", 1, 2048, opt("OPT 30B", 48, 7168, 56)},
    {"opt-66b", "OPT, 65.7 G parameters", 1, 2048, opt("OPT 66B", 64, 9216, 72)},
    {"opt-175b", "OPT, 175 G parameters", 1, 2048, opt("OPT 175B", 96, 12288, 96)},
    {"bloom-7b", "BLOOM, 7.07 G parameters", 1, 2048, bloom("BLOOM 7B", 30, 4096, 32)},
    {"bloom-176b", "BLOOM, 176 G parameters", 1, 2048, bloom("BLOOM 176B", 70, 14336, 112)},
    {"falcon-7b", "Falcon, 6.92 G parameters", 1, 2048, falcon("Falcon 7B", 32, 4544, 1)},
    {"falcon-40b", "Falcon, 41.3 G parameters", 1, 2048, falcon("Falcon 40B", 60, 8192, 8)},
    {"falcon-180b", "Falcon, 180 G parameters", 1, 2048, falcon("Falcon 180B", 80, 14848, 8)},
    {"gpt-oss-20b", "gpt-oss, 20.9 G parameters, 32 experts", 1, 4096,
     gpt_oss("gpt-oss 20B", 24, 32)},
    {"gpt-oss-120b", "gpt-oss, 117 G parameters, 128 experts", 1, 4096,
     gpt_oss("gpt-oss 120B", 36, 128)},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> open_gpt_kinds() { return kinds; }

}  // namespace dsim
