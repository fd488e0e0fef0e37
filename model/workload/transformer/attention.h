#pragma once
#include <string>

#include "model/workload/builder.h"
#include "model/workload/transformer/config.h"
#include "model/workload/transformer/rank_shape.h"

namespace dsim {

/// Registers the tensors of self-attention under `path` and appends it, from its normalised input
/// to the result of the output projection. `layer` counts from 0.
void append_self_attention(ModelBuilder& builder, const TransformerConfig& config,
                           const RankShape& shape, const std::string& path, std::int64_t layer);

}  // namespace dsim
