#pragma once
#include "model/workload/blocks/linear.h"

namespace dsim {

/// Two dense layers with GELU between them.
struct Mlp {
  Linear up, down;
};

void append_mlp(ModelBuilder& builder, const Mlp& mlp, std::int64_t tokens);

}  // namespace dsim
