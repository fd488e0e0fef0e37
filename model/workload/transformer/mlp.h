#pragma once
#include <string>

#include "model/workload/builder.h"
#include "model/workload/transformer/config.h"
#include "model/workload/transformer/rank_shape.h"

namespace dsim {

/// Appends the activation between up and down projections over `rows` rows of `ffn` columns. Gated:
/// eager 5 passes forward and 8 backward, fused 3 and 5; else 2 and 3.
void append_activation(ModelBuilder& builder, const TransformerConfig& config,
                       const std::string& label, std::int64_t rows, std::int64_t ffn);

/// Registers the dense layers of an MLP of `whole_ffn` columns under `path` and appends it.
void append_transformer_mlp(ModelBuilder& builder, const TransformerConfig& config,
                            const RankShape& shape, const std::string& label,
                            const std::string& path, std::int64_t whole_ffn, bool keeps_input);

}  // namespace dsim
