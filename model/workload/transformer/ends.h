#pragma once
// The first and the last layer of a language model.
#include "model/workload/builder.h"
#include "model/workload/transformer/config.h"
#include "model/workload/transformer/rank_shape.h"

namespace dsim {

/// Appends the layer of embeddings; the table is spread over the tensor-parallel ranks by rows, and
/// the partial lookups are all-reduced (reduce-scattered under sequence parallelism). Returns the
/// table.
ParameterId append_embeddings(ModelBuilder& builder, const TransformerConfig& config,
                              const RankShape& shape);

/// Appends the layer with the final norm, the logits of every token and cross-entropy. The logits
/// are spread over the tensor-parallel ranks; the loss takes three all-reduces of an fp32 a token.
void append_head(ModelBuilder& builder, const TransformerConfig& config, const RankShape& shape,
                 ParameterId embedding);

}  // namespace dsim
