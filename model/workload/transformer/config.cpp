#include "model/workload/transformer/config.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace dsim {
namespace {

struct Limit {
  const char* what;
  std::int64_t value, low, high;
};

}  // namespace

void check(const TransformerConfig& config, std::string_view name) {
  const Experts& experts = config.experts;
  const LatentAttention& latent = config.latent;
  // Upper bounds: ten times what anybody has trained; they keep products within 64 bits.
  for (const Limit& limit :
       {Limit{"layers", config.layers, 1, 4096},
        {"hidden size", config.hidden, 1, 1 << 20},
        {"heads", config.heads, 1, 1 << 16},
        {"key-value heads", config.kv_heads, 1, config.heads},
        {"head size", config.head_size, 0, 1 << 16},
        {"ffn size", config.ffn, experts.count > 0 ? 0 : 1, 1 << 24},
        {"vocabulary", config.vocabulary, 1, 1 << 27},
        {"positions", config.positions, 0, 1 << 28},
        {"window", config.window, 0, 1 << 28},
        {"experts", experts.count, 0, 1 << 16},
        {"experts of a token", experts.top_k, experts.count > 0 ? 1 : 0, experts.count},
        {"expert ffn size", experts.ffn, experts.count > 0 ? 1 : 0, 1 << 24},
        {"shared expert ffn size", experts.shared_ffn, 0, 1 << 24},
        {"query rank", latent.query_rank, 0, 1 << 20},
        {"key-value rank", latent.key_value_rank, 0, 1 << 20}})
    if (limit.value < limit.low || limit.value > limit.high)
      throw InputError(fmt::format("{}: {} of {} is out of range ({} to {})", name, limit.what,
                                   limit.value, limit.low, limit.high));
  if (config.head_size == 0 && !latent.used() && config.hidden % config.heads != 0)
    throw InputError(fmt::format("{}: {} heads do not divide the hidden size {}", name,
                                 config.heads, config.hidden));
  if (config.heads % config.kv_heads != 0)
    throw InputError(fmt::format("{}: {} key-value heads do not divide {} heads", name,
                                 config.kv_heads, config.heads));
}

}  // namespace dsim
