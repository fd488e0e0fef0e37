#include "sim/network/fabric.h"

// One line for each kind of fabric; each is defined in a file of fabrics/.
#define DSIM_FABRICS(X) \
  X(single_switch)      \
  X(rail_optimised)     \
  X(fat_tree)           \
  X(fat_tree_3)         \
  X(dragonfly)          \
  X(torus)              \
  X(ring)               \
  X(fully_connected)    \
  X(none)

namespace dsim {
namespace fabrics {
#define DSIM_DECLARE(name) extern const FabricKind name;
DSIM_FABRICS(DSIM_DECLARE)
#undef DSIM_DECLARE
}  // namespace fabrics

Registry<FabricKind> fabric_kinds() {
#define DSIM_ROW(name) &fabrics::name,
  return Registry<FabricKind>("fabric kind", {DSIM_FABRICS(DSIM_ROW)});
#undef DSIM_ROW
}

}  // namespace dsim
