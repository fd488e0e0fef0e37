#pragma once
#include <string>

#include "model/workload/builder.h"

namespace dsim {

/// A normalisation with its scale and shift registered; both stay fp32 at every precision.
struct Norm {
  std::string label;
  ParameterId weight, bias;
  std::int64_t width = 0;  ///< hidden size or channels
};

/// Registers `path`.weight and `path`.bias.
Norm declare_layer_norm(ModelBuilder& builder, std::string label, const std::string& path,
                        std::int64_t width);

/// Appends a LayerNorm over `rows` rows: 2 passes forward, 4 backward, 8 B of fp32 statistics a
/// row. With `after_residual`, compile does the residual add, its dropout and the sum of gradients
/// in the same kernels: 3.5 passes forward, 5 backward.
void append_layer_norm(ModelBuilder& builder, const Norm& norm, std::int64_t rows,
                       bool after_residual);

}  // namespace dsim
