#pragma once
#include "model/workload/builder.h"
#include "model/workload/transformer/rank_shape.h"

namespace dsim {

/// softmax(Q K^T) V of one layer on one rank.
struct CoreShape {
  std::int64_t batch = 0, sequence = 0;  ///< whole sequences
  std::int64_t heads = 0, kv_heads = 0;  ///< of this rank, before heads are exchanged for tokens
  std::int64_t query_size = 0, value_size = 0;  ///< of a head
  std::int64_t context = 1;
  std::int64_t window = 0;  ///< 0 = none
  bool causal = true, dropout = false;
  ParameterId sinks;  ///< learned logits, a head each; none if invalid

  std::int64_t tokens() const { return batch * (sequence / context); }
  /// Pairs of query and key that are not masked, of one sequence: s^2, half of it if causal.
  double pairs() const;
  /// Forward FLOPs of this rank that count for MFU.
  double model_flops() const;
};

/// Appends the core. Fused: one kernel each way (backward 2.5 x the forward FLOPs). Unfused:
/// batched GEMMs over the whole square with softmax and dropout between them.
///
/// Context parallel ring: a step a rank; keys and values for the next step travel beside the kernel
/// of this step, and partial results are merged in fp32; backward sends the gradients of keys and
/// values too. gather: keys and values are gathered before attention (again in backward) and their
/// gradients reduce-scattered. all_to_all: four exchanges each way.
void append_core(ModelBuilder& builder, const CoreShape& core);

}  // namespace dsim
