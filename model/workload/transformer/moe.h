#pragma once
#include <string>

#include "model/workload/builder.h"
#include "model/workload/transformer/config.h"
#include "model/workload/transformer/rank_shape.h"

namespace dsim {

/// Registers a mixture of experts under `path` and appends it: router, permutation of the tokens,
/// all-to-all to the experts' ranks, grouped GEMMs, all-to-all back, and the experts that every
/// token passes. Tokens are spread evenly over experts (dropless, balanced). Where an expert is
/// split over expert-tensor-parallel ranks its tokens are gathered and their results
/// reduce-scattered (sequence parallel), else results are all-reduced.
void append_experts(ModelBuilder& builder, const TransformerConfig& config, const RankShape& shape,
                    const std::string& path);

}  // namespace dsim
