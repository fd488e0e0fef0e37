// GPT-3 (Brown et al. 2020, table 2.1; heads and hidden sizes as Megatron-LM and NeMo train them,
// vocabulary padded to 51,200) and the sizes of Narayanan et al. 2021, table 1 (SC'21), and
// Korthikanti et al. 2022, table 3.
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr TransformerConfig megatron(std::string_view title, std::int64_t layers,
                                     std::int64_t hidden, std::int64_t heads) {
  TransformerConfig config = gpt(title, layers, hidden, heads, 51200, 2048);
  config.table_follows_sequence = true;
  return config;
}

constexpr TransformerRow rows[] = {
    {"gpt3-125m", "GPT-3 small, 125 M parameters", 8, 2048, megatron("GPT-3 125M", 12, 768, 12)},
    {"gpt3-350m", "GPT-3 medium, 350 M parameters", 8, 2048, megatron("GPT-3 350M", 24, 1024, 16)},
    {"gpt3-760m", "GPT-3 large, 760 M parameters", 8, 2048, megatron("GPT-3 760M", 24, 1536, 16)},
    {"gpt3-1.3b", "GPT-3 XL, 1.3 G parameters", 4, 2048, megatron("GPT-3 1.3B", 24, 2048, 16)},
    {"gpt3-2.7b", "GPT-3, 2.7 G parameters", 4, 2048, megatron("GPT-3 2.7B", 32, 2560, 32)},
    {"gpt3-5b", "GPT-3 of NeMo, 5 G parameters", 2, 2048, megatron("GPT-3 5B", 24, 4096, 32)},
    {"gpt3-6.7b", "GPT-3, 6.7 G parameters", 2, 2048, megatron("GPT-3 6.7B", 32, 4096, 32)},
    {"gpt3-13b", "GPT-3, 13 G parameters", 2, 2048, megatron("GPT-3 13B", 40, 5120, 40)},
    {"gpt3-20b", "GPT-3 of NeMo, 20 G parameters", 2, 2048, megatron("GPT-3 20B", 44, 6144, 48)},
    {"gpt3-175b", "GPT-3, 175 G parameters", 1, 2048, megatron("GPT-3 175B", 96, 12288, 96)},
    {"megatron-1.7b", "Megatron-LM GPT, 1.7 G parameters", 4, 2048,
     megatron("Megatron 1.7B", 24, 2304, 24)},
    {"megatron-3.6b", "Megatron-LM GPT, 3.6 G parameters", 4, 2048,
     megatron("Megatron 3.6B", 30, 3072, 32)},
    {"megatron-7.5b", "Megatron-LM GPT, 7.5 G parameters", 4, 2048,
     megatron("Megatron 7.5B", 36, 4096, 32)},
    {"megatron-18b", "Megatron-LM GPT, 18.4 G parameters", 4, 2048,
     megatron("Megatron 18B", 40, 6144, 48)},
    {"megatron-22b", "Megatron-LM GPT, 22 G parameters", 4, 2048,
     megatron("Megatron 22B", 48, 6144, 64)},
    {"megatron-39b", "Megatron-LM GPT, 39.1 G parameters", 4, 2048,
     megatron("Megatron 39B", 48, 8192, 64)},
    {"megatron-76b", "Megatron-LM GPT, 76.1 G parameters", 2, 2048,
     megatron("Megatron 76B", 60, 10240, 80)},
    {"megatron-145b", "Megatron-LM GPT, 145.6 G parameters", 2, 2048,
     megatron("Megatron 145B", 80, 12288, 96)},
    {"megatron-310b", "Megatron-LM GPT, 310.1 G parameters", 1, 2048,
     megatron("Megatron 310B", 96, 16384, 128)},
    {"megatron-530b", "Megatron-LM GPT, 529.6 G parameters", 1, 2048,
     megatron("Megatron 530B", 105, 20480, 128)},
    {"megatron-1t", "Megatron-LM GPT, 1.008 T parameters", 1, 2048,
     megatron("Megatron 1T", 128, 25600, 160)},
};
constexpr auto kinds = kinds_of(rows);

}  // namespace

std::span<const ModelKind> gpt3_kinds() { return kinds; }

}  // namespace dsim
