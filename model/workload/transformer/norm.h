#pragma once
// Normalisations of transformers: LayerNorm with or without a shift, RMSNorm, and those of queries
// and keys.
#include <string>

#include "model/workload/builder.h"
#include "model/workload/transformer/config.h"

namespace dsim {

struct TransformerNorm {
  NormKind kind = NormKind::layer_norm;
  std::string label;
  ParameterId weight, bias;  ///< bias: none if invalid
  std::int64_t width = 0;
};

/// Registers `path`.weight and, with `bias`, `path`.bias. `whole_width` (0 = width) is that over
/// all ranks.
TransformerNorm declare_norm(ModelBuilder& builder, NormKind kind, bool bias, std::string label,
                             const std::string& path, std::int64_t width,
                             std::int64_t whole_width = 0);

/// Appends it over `rows` rows. Passes forward and backward: LayerNorm and fused RMSNorm 2 and 4;
/// eager RMSNorm 8 and 14 (casts to fp32, square, mean, product, cast, scale apart); compile does
/// residual and gradient sum in the same kernels where there are any, 3.5 and 5.
void append_norm(ModelBuilder& builder, const TransformerNorm& norm, std::int64_t rows,
                 bool after_residual);

}  // namespace dsim
