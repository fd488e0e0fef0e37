#pragma once
// The shapes that one rank of a tensor- x context- x expert-parallel group computes with.
#include <cstdint>

#include "model/workload/model.h"
#include "model/workload/transformer/config.h"

namespace dsim {

struct RankShape {
  std::int64_t batch = 0, sequence = 0;  ///< of a micro-batch, whole sequences
  std::int64_t tensor = 1, context = 1, expert = 1, expert_tensor = 1;
  bool sequence_parallel = false;
  std::int64_t tokens = 0;  ///< batch x sequence / context
  std::int64_t rows =
      0;  ///< tokens that norms and residuals see: tokens / tensor if sequence parallel
  std::int64_t heads = 0, kv_heads = 0;  ///< of this rank
  std::int64_t head_size = 0, value_size = 0;
  std::int64_t ffn = 0;
  std::int64_t vocabulary = 0;                               ///< of this rank, padded
  std::int64_t position_rows = 0;                            ///< of a learned table
  std::int64_t experts = 0, expert_ffn = 0, shared_ffn = 0;  ///< of this rank
  /// Whole rows x inputs x outputs as this rank's share of the model FLOPs.
  double share_of(double whole_inputs, double whole_outputs) const;
};

/// `request` must be resolved. InputError names the rule that a degree breaks.
RankShape rank_shape(const ModelKind& kind, const TransformerConfig& config,
                     const ModelRequest& request);

}  // namespace dsim
