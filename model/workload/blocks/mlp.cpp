#include "model/workload/blocks/mlp.h"

#include "model/workload/blocks/elementwise.h"

namespace dsim {

void append_mlp(ModelBuilder& builder, const Mlp& mlp, std::int64_t tokens) {
  append_linear(builder, mlp.up, {.rows = tokens});
  append_gelu(builder, "mlp.gelu", tokens * mlp.up.outputs);
  append_linear(builder, mlp.down, {.rows = tokens});
}

}  // namespace dsim
