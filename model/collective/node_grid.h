#pragma once
#include <cstdint>
#include <vector>

#include "model/collective/communicator.h"
#include "model/collective/round_stages.h"

namespace dsim {

/// Ranks as a grid: rows are nodes (or runs of consecutive ranks), columns the ranks with the same
/// place in their rows.
///   row 0:  0  1  2  3
///   row 1:  4  5  6  7      width 4, height 2
struct NodeGrid {
  std::uint32_t width = 0, height = 0;  ///< 0: no grid
  std::vector<std::uint32_t> ranks;     ///< row by row

  /// Rows as teams. The blocks form `width` shards of `parts`; member m of each row owns shard m.
  Teams rows(std::uint32_t parts) const;
  /// Columns as teams: column c works on shard c, whose part p belongs to member p.
  Teams columns(std::uint32_t parts) const;
  /// The rank of each of width * height blocks: part p of shard c belongs to row p, column c.
  std::vector<std::uint32_t> owners() const;
};

/// Rows are the nodes; width is 0 if they have different numbers of ranks.
NodeGrid node_grid(const Communicator& communicator);
/// The same where there are several nodes with several ranks, all alike; else the squarest grid of
/// consecutive ranks (width 1 if their number is a prime).
NodeGrid torus_grid(const Communicator& communicator);

}  // namespace dsim
