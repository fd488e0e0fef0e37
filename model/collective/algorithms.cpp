#include "model/collective/algorithm.h"
#include "sim/base/registry.h"

namespace dsim {

// One line per algorithm.
#define DSIM_ALGORITHMS(X) \
  X(ring)                  \
  X(tree)

#define DSIM_DECLARE(name) extern const Algorithm name##_algorithm;
DSIM_ALGORITHMS(DSIM_DECLARE)
#undef DSIM_DECLARE

std::vector<const Algorithm*> algorithms() {
#define DSIM_ROW(name) &name##_algorithm,
  return {DSIM_ALGORITHMS(DSIM_ROW)};
#undef DSIM_ROW
}

const Algorithm& algorithm_by_name(std::string_view name) {
  return Registry<Algorithm>("algorithm", algorithms()).at(name);
}

std::string_view name_of(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::all_reduce:
      return "all_reduce";
    case CollectiveOp::all_gather:
      return "all_gather";
    case CollectiveOp::reduce_scatter:
      return "reduce_scatter";
    case CollectiveOp::broadcast:
      return "broadcast";
  }
  return "";
}

}  // namespace dsim
