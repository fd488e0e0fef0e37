// MPT of mosaicml/llm-foundry 8c8dd48f (scripts/train/yamls/pretrain/mpt-*.yaml) as its benchmarks
// train them: learned positions of the length of the sequence, biases, no dropout.
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr TransformerConfig mpt(std::string_view title, std::int64_t layers, std::int64_t hidden,
                                std::int64_t heads) {
  TransformerConfig config = gpt(title, layers, hidden, heads, 50368, 0);
  config.table_follows_sequence = true;
  config.embedding_dropout = config.attention_dropout = config.hidden_dropout = false;
  return config;
}

constexpr TransformerRow rows[] = {
    {"mpt-125m", "MPT, 125 M parameters", 16, 2048, mpt("MPT 125M", 12, 768, 12)},
    {"mpt-350m", "MPT, 350 M parameters", 16, 2048, mpt("MPT 350M", 24, 1024, 16)},
    {"mpt-760m", "MPT, 760 M parameters", 12, 2048, mpt("MPT 760M", 24, 1536, 12)},
    {"mpt-1b", "MPT, 1.32 G parameters", 8, 2048, mpt("MPT 1B", 24, 2048, 16)},
    {"mpt-3b", "MPT, 2.65 G parameters", 8, 2048, mpt("MPT 3B", 32, 2560, 20)},
    {"mpt-7b", "MPT, 6.66 G parameters", 6, 2048, mpt("MPT 7B", 32, 4096, 32)},
    {"mpt-13b", "MPT, 12.9 G parameters", 2, 2048, mpt("MPT 13B", 40, 5120, 40)},
    {"mpt-30b", "MPT, 30 G parameters", 2, 2048, mpt("MPT 30B", 48, 7168, 56)},
    {"mpt-70b", "MPT, 64.9 G parameters", 2, 2048, mpt("MPT 70B", 80, 8192, 64)},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> mpt_kinds() { return kinds; }

}  // namespace dsim
