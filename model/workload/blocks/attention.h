#pragma once
#include <string>
#include <vector>

#include "model/workload/blocks/linear.h"
#include "model/workload/builder.h"

namespace dsim {

/// softmax(Q K^T / sqrt(d)) V for every sequence and head.
struct AttentionCore {
  std::int64_t batch = 0, heads = 0, head_size = 0, sequence = 0;
  bool causal = false;
  bool dropout = true;    ///< on the probabilities
  std::int64_t keys = 0;  ///< of each sequence of another tensor that is attended to; 0: its own
  bool position_bias = false;    ///< a learned bias of (head, query, key) joins the scores: unfused
  ParameterId position_table{};  ///< where that bias is made here: its table by distance
  std::int64_t position_rows = 0;  ///< of that table

  std::int64_t key_count() const { return keys > 0 ? keys : sequence; }
  std::int64_t width() const { return heads * head_size; }
  std::int64_t tokens() const { return batch * sequence; }
  std::int64_t scores() const { return batch * heads * sequence * key_count(); }
  /// Forward FLOPs that count for MFU: 4 b a s^2 d, half of it when causal.
  double model_flops() const;
};

/// Appends the core: one fused kernel each way (unless unfused; backward 2.5 x the forward
/// FLOPs), or batched GEMMs with softmax and dropout passes between them over the whole square.
void append_attention_core(ModelBuilder& builder, const AttentionCore& core);

/// Self-attention without residual and norm: projections (one Linear for Q, K and V, or three),
/// core, transposing copies, output projection. With `keys` of another tensor the second and third
/// projection read that one, which is kept where it was made.
struct Attention {
  std::vector<Linear> projections;
  Linear output;
};

void append_attention(ModelBuilder& builder, const Attention& attention, const AttentionCore& core);

}  // namespace dsim
