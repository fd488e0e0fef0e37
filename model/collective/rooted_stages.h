#pragma once
// Stages from and to a root: a star in one round, a binomial tree in log2(n). Ranks are counted
// from the root on, so that every subtree is a range of blocks.
#include <cstdint>

#include "model/collective/round_stages.h"

namespace dsim {

struct Rooted {
  std::uint32_t ranks = 0, root = 0;
  bool own_blocks = false;  ///< a rank has its own block (gather, scatter); else all share block 0

  std::uint32_t rank(std::uint32_t place) const {
    return place < ranks - root ? root + place : place - (ranks - root);
  }
  /// The message between a rank's parent and it, on behalf of `subtree` places from its own.
  Transfer down(std::uint32_t parent, std::uint32_t place, std::uint32_t subtree) const {
    return {rank(parent), rank(place), own_blocks ? rank(place) : 0, own_blocks ? subtree : 1,
            false};
  }
  Transfer up(std::uint32_t parent, std::uint32_t place, std::uint32_t subtree, bool reduce) const {
    Transfer transfer = down(parent, place, subtree);
    return {transfer.to, transfer.from, transfer.first_block, transfer.block_count, reduce};
  }
};

/// All to the root at once, and back. `reduce` only without own blocks.
Stage star_in(Rooted rooted);
Stage star_out(Rooted rooted);
/// Subtrees of 1, 2, 4, ... places hand in to their parents, and back.
Stage binomial_in(Rooted rooted);
Stage binomial_out(Rooted rooted);

}  // namespace dsim
