#include "model/workload/transformer/rank_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace dsim {
namespace {

void divides(const ModelKind& kind, const char* degree, std::int64_t ranks, const char* what,
             std::int64_t amount) {
  if (amount % ranks != 0)
    throw InputError(fmt::format("{}: {} {} must be a multiple of the {} {} ranks", kind.name,
                                 amount, what, ranks, degree));
}

void check_attention(const ModelKind& kind, const TransformerConfig& config,
                     const ModelRequest& request, const RankShape& shape) {
  divides(kind, "tensor-parallel", shape.tensor, "heads", config.heads);
  const std::int64_t kv = config.latent.used() ? config.heads : config.kv_heads;
  if (kv % shape.tensor != 0 && shape.tensor % kv != 0)
    throw InputError(
        fmt::format("{}: {} key-value heads and {} tensor-parallel ranks: one must be "
                    "a multiple of the other",
                    kind.name, kv, shape.tensor));
  if (shape.context == 1) return;
  const ContextExchange exchange = request.sharding.context_exchange;
  divides(kind, "context-parallel", shape.context, "tokens of a sequence", shape.sequence);
  if (exchange == ContextExchange::ring && config.causal)  // each rank holds two chunks
    divides(kind, "context-parallel (twice: causal ring attention gives each two chunks)",
            2 * shape.context, "tokens of a sequence", shape.sequence);
  if (exchange == ContextExchange::all_to_all) {
    divides(kind, "context-parallel", shape.context, "heads of a tensor-parallel rank",
            shape.heads);
    divides(kind, "context-parallel", shape.context, "key-value heads of a tensor-parallel rank",
            shape.kv_heads);
  }
  if (request.attention == AttentionKernel::unfused)
    throw InputError(fmt::format("{}: context parallelism needs fused attention", kind.name));
}

void check_experts(const ModelKind& kind, const TransformerConfig& config, const RankShape& shape) {
  if (config.experts.count == 0) {
    if (shape.expert > 1)
      throw InputError(fmt::format("{}: has no experts, so expert parallelism ({}) means nothing",
                                   kind.name, shape.expert));
    return;
  }
  divides(kind, "expert-parallel", shape.expert, "experts", config.experts.count);
  divides(kind, "expert-tensor-parallel", shape.expert_tensor, "columns of an expert's MLP",
          config.experts.ffn);
  divides(kind, "tensor-parallel", shape.tensor, "columns of the shared experts",
          config.experts.shared_ffn);
  if (!shape.sequence_parallel && shape.expert_tensor != shape.tensor)
    throw InputError(
        fmt::format("{}: {} expert-tensor-parallel beside {} tensor-parallel ranks "
                    "need sequence parallelism",
                    kind.name, shape.expert_tensor, shape.tensor));
}

/// Counts of elements are 64-bit integers.
void check_size(const ModelKind& kind, const TransformerConfig& config, const RankShape& shape) {
  constexpr double most = 1e17;
  const std::int64_t heads = config.heads * std::max(config.size_of_head(), std::int64_t{1});
  const double widest = static_cast<double>(
      std::max({config.hidden, 2 * config.ffn, config.vocabulary, 3 * heads,
                config.experts.top_k * std::max(config.hidden, 2 * config.experts.ffn)}));
  if (static_cast<double>(shape.tokens) * widest > most)
    throw InputError(fmt::format("{}: a micro-batch of {} sequences of {} tokens is too large",
                                 kind.name, shape.batch, shape.sequence));
}

/// Megatron-LM pads the table so that each rank holds a multiple of 128 rows (`make-vocab-size-
/// divisible-by`); a table that is not split keeps its size.
std::int64_t padded_share(std::int64_t vocabulary, std::int64_t tensor) {
  constexpr std::int64_t multiple = 128;
  if (tensor == 1) return vocabulary;
  const std::int64_t unit = multiple * tensor;
  return (vocabulary + unit - 1) / unit * multiple;
}

}  // namespace

double RankShape::share_of(double whole_inputs, double whole_outputs) const {
  return 2 * static_cast<double>(tokens) * whole_inputs * whole_outputs /
         static_cast<double>(tensor);
}

RankShape rank_shape(const ModelKind& kind, const TransformerConfig& config,
                     const ModelRequest& request) {
  const LayerSharding& sharding = request.sharding;
  RankShape shape;
  shape.batch = request.micro_batch;
  shape.sequence = request.sequence;
  shape.tensor = std::max<std::int64_t>(sharding.tensor, 1);
  shape.context = std::max<std::int64_t>(sharding.context, 1);
  shape.expert = std::max<std::int64_t>(sharding.expert, 1);
  shape.expert_tensor = sharding.expert_tensor == 0 ? shape.tensor : sharding.expert_tensor;
  shape.sequence_parallel = sharding.sequence_parallel && shape.tensor > 1;

  shape.heads = config.heads / shape.tensor;
  const std::int64_t kv = config.latent.used() ? config.heads : config.kv_heads;
  shape.kv_heads = std::max<std::int64_t>(kv / shape.tensor, 1);
  check_attention(kind, config, request, shape);
  check_experts(kind, config, shape);
  divides(kind, "tensor-parallel", shape.tensor, "columns of the MLP", config.ffn);

  shape.tokens = shape.batch * (shape.sequence / shape.context);
  shape.rows = shape.tokens;
  if (shape.sequence_parallel) {
    divides(kind, "sequence-parallel", shape.tensor, "tokens of a rank", shape.tokens);
    shape.rows = shape.tokens / shape.tensor;
  }
  check_size(kind, config, shape);
  const LatentAttention& latent = config.latent;
  shape.head_size = latent.used() ? latent.plain_size + latent.rotary_size : config.size_of_head();
  shape.value_size = latent.used() ? latent.value_size : shape.head_size;
  shape.ffn = config.ffn / shape.tensor;
  shape.vocabulary = padded_share(config.vocabulary, shape.tensor);
  shape.position_rows =
      config.table_follows_sequence ? std::max(config.positions, shape.sequence) : config.positions;
  shape.experts = config.experts.count / shape.expert;
  shape.expert_ffn = config.experts.ffn / shape.expert_tensor;
  shape.shared_ffn = config.experts.shared_ffn / shape.tensor;
  return shape;
}

}  // namespace dsim
