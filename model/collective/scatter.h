#pragma once
#include "model/collective/constants.h"
#include "sim/base/units.h"

namespace dsim {

/// What the constants of collectives were fitted on.
inline constexpr std::size_t most_fitted_nodes = 16, most_fitted_ranks = 512;
inline constexpr Bytes most_fitted_bytes{std::int64_t{16} << 30};

/// Relative half-width of a 90 % interval of a predicted collective: how far measurements of
/// healthy machines lie from the built-in model by size and reach (90th percentiles in
/// docs/collectives.md), which contains the scatter between like machines.
double collective_scatter(const CollectiveMachine& machine, std::size_t nodes, Bytes size);

}  // namespace dsim
