#pragma once
// What a transformer language model is, free of micro-batch, precision and sharding.
#include <cstdint>
#include <string_view>

namespace dsim {

/// How tokens know where they stand. learned: a table of vectors added to the embedding.
enum class PositionScheme : std::uint8_t { none, learned, rope, alibi };
enum class NormKind : std::uint8_t { layer_norm, rms_norm };
/// Normalisation of queries and keys: over each head with one shared scale, or over all heads.
enum class QueryKeyNorm : std::uint8_t { none, per_head, whole };
enum class Activation : std::uint8_t { gelu, silu, relu, squared_relu };
/// pre: x + f(norm(x)). post: norm(x + f(x)) (BERT). sandwich: x + norm(f(norm(x))) (Gemma 2).
enum class NormPlace : std::uint8_t { pre, post, sandwich };

/// Multi-head latent attention (DeepSeek-V2): keys and values of low rank, a part of each head
/// rotated.
struct LatentAttention {
  std::int64_t query_rank = 0;  ///< 0: queries are projected directly
  std::int64_t key_value_rank = 0;
  std::int64_t plain_size = 0;   ///< of a query or key head, not rotated
  std::int64_t rotary_size = 0;  ///< of a query head; keys share one
  std::int64_t value_size = 0;
  constexpr bool used() const { return key_value_rank > 0; }
};

/// Mixture of experts in place of the MLP.
struct Experts {
  std::int64_t count = 0, top_k = 0;
  std::int64_t ffn = 0;          ///< of one expert
  std::int64_t shared_ffn = 0;   ///< of the experts every token passes, together
  std::int64_t first_dense = 0;  ///< layers before the first with experts
  std::int64_t every = 1;        ///< every n-th layer has experts
  bool shared_gate = false;      ///< the shared experts' result is gated (Qwen2-MoE)
  bool selection_bias = false;   ///< a bias for choosing only (DeepSeek-V3)
  bool biases = false;           ///< router and experts have biases (gpt-oss)
};

/// A decoder (or encoder) of equal layers.
struct TransformerConfig {
  std::string_view title;
  std::int64_t layers = 0, hidden = 0;
  std::int64_t heads = 0, kv_heads = 0;  ///< kv_heads < heads: grouped-query attention
  std::int64_t head_size = 0;            ///< 0 = hidden / heads
  std::int64_t ffn = 0;                  ///< of the dense MLP
  std::int64_t vocabulary = 0;           ///< unpadded
  std::int64_t positions = 0;  ///< rows of a learned table; else the longest sequence meant
  bool table_follows_sequence = false;  ///< a learned table of max(positions, sequence) rows
  PositionScheme position = PositionScheme::rope;
  NormKind norm = NormKind::rms_norm;
  NormPlace norm_place = NormPlace::pre;
  bool norm_bias = false;
  QueryKeyNorm query_key_norm = QueryKeyNorm::none;
  Activation activation = Activation::silu;
  bool gated = true;               ///< two up projections, one through the activation
  bool fused_projections = false;  ///< Q, K, V (and gate, up) in one GEMM whatever the framework
  bool qkv_bias = false, output_bias = false, mlp_bias = false, head_bias = false;
  bool tied = false;             ///< head and input embedding share one tensor
  bool parallel_blocks = false;  ///< attention and MLP side by side on one input
  bool parallel_norms = false;   ///< parallel blocks: a norm each
  bool embedding_norm = false;   ///< BLOOM, BERT
  bool final_norm = true;
  bool embedding_dropout = false, attention_dropout = false, hidden_dropout = false;
  bool causal = true;
  bool sinks = false;              ///< a learned logit a head in the softmax (gpt-oss)
  std::int64_t window = 0;         ///< sliding window in tokens; 0 = none
  std::int64_t window_period = 1;  ///< every n-th layer attends to all; 1 = none of them
  std::int64_t token_types = 0;    ///< BERT
  bool masked_head = false;        ///< BERT: dense, activation and norm before the logits
  LatentAttention latent{};
  Experts experts{};

  constexpr std::int64_t size_of_head() const { return head_size > 0 ? head_size : hidden / heads; }
  /// Whether layer `index` (from 0) has experts.
  constexpr bool has_experts(std::int64_t index) const {
    return experts.count > 0 && index >= experts.first_dense && (index + 1) % experts.every == 0;
  }
  /// Sliding window of layer `index`; 0 = none.
  constexpr std::int64_t window_of(std::int64_t index) const {
    return window_period > 1 && (index + 1) % window_period == 0 ? 0 : window;
  }
};

/// InputError, with the rule, for sizes that no network can have.
void check(const TransformerConfig& config, std::string_view name);

}  // namespace dsim
