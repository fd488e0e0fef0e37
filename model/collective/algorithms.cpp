#include <array>
#include <cctype>

#include "model/collective/algorithm.h"
#include "sim/base/error.h"
#include "sim/base/registry.h"
#include "sim/base/spelling.h"

namespace dsim {

// One line per algorithm.
#define DSIM_ALGORITHMS(X) \
  X(ring)                  \
  X(tree)                  \
  X(nvls)                  \
  X(nvls_tree)             \
  X(collnet_direct)        \
  X(collnet_chain)         \
  X(pat)                   \
  X(recursive_doubling)    \
  X(halving_doubling)      \
  X(hierarchical)          \
  X(torus_2d)              \
  X(bcube)                 \
  X(ring_chunked)          \
  X(gloo_ring)             \
  X(segmented_ring)        \
  X(nonoverlapping)        \
  X(linear)                \
  X(binomial)              \
  X(bruck)                 \
  X(pairwise)              \
  X(direct)                \
  X(custom)

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

namespace {

constexpr std::array<std::string_view, 10> collective_names = {
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
    "all_to_all", "sendrecv",   "gather",         "scatter",   "barrier"};

std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name)
    if (c != '_' && c != '-')
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

std::string_view name_of(CollectiveOp op) { return collective_names[static_cast<std::size_t>(op)]; }

CollectiveOp collective_by_name(std::string_view name) {
  for (const CollectiveOp op : all_collectives())
    if (plain(name_of(op)) == plain(name)) return op;
  throw InputError(unknown_name("collective", name, collective_names));
}

std::vector<CollectiveOp> all_collectives() {
  std::vector<CollectiveOp> result;
  for (std::size_t i = 0; i < collective_names.size(); ++i)
    result.push_back(static_cast<CollectiveOp>(i));
  return result;
}

}  // namespace dsim
