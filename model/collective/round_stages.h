#pragma once
// What round-based algorithms are put together from: a stage is a run of rounds that does one thing
// (reduce-scatter around a ring, exchange of doubled ranges) within teams of ranks.
#include <cstdint>
#include <functional>
#include <vector>

#include "model/collective/schedule.h"

namespace dsim {

/// Teams of `size` ranks that work side by side, and the blocks that belong to each member. Blocks
/// of a team are one range, cut where `first_block` says: member m owns first_block(team, m) up to
/// first_block(team, m + 1).
struct Teams {
  std::uint32_t count = 1, size = 0;
  std::function<std::uint32_t(std::uint32_t team, std::uint32_t member)> rank;
  std::function<std::uint32_t(std::uint32_t team, std::uint32_t member)> first_block;

  /// The blocks of members [from, to), sent from one member to another.
  Transfer transfer(std::uint32_t team, std::uint32_t sender, std::uint32_t receiver,
                    std::uint32_t from, std::uint32_t to, bool reduce) const {
    const std::uint32_t first = first_block(team, from);
    return {rank(team, sender), rank(team, receiver), first, first_block(team, to) - first, reduce};
  }
};

/// One team of ranks 0..n-1 whose member m owns blocks [m * blocks_each, (m + 1) * blocks_each).
Teams everyone(std::uint32_t n, std::uint32_t blocks_each = 1);

/// Rounds that follow each other. `transfers` appends those of a round, counted from 0.
struct Stage {
  std::vector<std::uint32_t> phases;  ///< rounds of each phase
  std::function<void(std::uint32_t round, std::vector<Transfer>& out)> transfers;
};

/// How a member's blocks are passed on: in equal messages, one a round.
struct Pieces {
  std::uint32_t pieces = 1;
  bool each_all_around = false;  ///< a piece goes all the way before the next one starts
};
/// Member m sends to m + 1; after size - 1 steps each owns the sum of its blocks.
Stage ring_reduce_scatter(Teams teams, Pieces pieces = {});
Stage ring_all_gather(Teams teams, Pieces pieces = {});
/// Recursive halving and doubling between members whose numbers differ in one bit. Requires a power
/// of two.
Stage halving_reduce_scatter(Teams teams);
Stage doubling_all_gather(Teams teams);
/// Members exchange and add all blocks of the team, log2(size) times. Requires a power of two.
Stage doubling_all_reduce(Teams teams);
/// Member numbers are written with digits of these bases; in each round a member sends to all
/// members that differ from it in one digit. Requires size = product of the bases.
Stage mixed_radix_reduce_scatter(Teams teams, std::vector<std::uint32_t> bases);
Stage mixed_radix_all_gather(Teams teams, std::vector<std::uint32_t> bases);
/// One round in which `fill` says who sends.
Stage single_round(std::function<void(std::vector<Transfer>& out)> fill);

/// The largest power of two that is not larger. Requires n >= 1.
std::uint32_t power_of_two_below(std::uint32_t n);
/// The least k with 2^k >= n.
std::uint32_t log2_up(std::uint32_t n);
/// Prime factors, ascending.
std::vector<std::uint32_t> prime_factors(std::uint32_t n);

/// Of teams of any size: as many members as the power of two below, where members 2i and 2i + 1 are
/// one for i < size - 2^k, spoken for by 2i. `first_block` is kept and must be that of the
/// survivors.
Teams survivors(const Teams& teams);

/// Rabenseifner's all-reduce for any size: pairs are merged first (halves exchanged and added), the
/// survivors halve and double, and the others are told the result. `teams.first_block` cuts the
/// blocks among power_of_two_below(size) survivors.
std::vector<Stage> halving_doubling_all_reduce(const Teams& teams);

/// The stages one after the other.
RoundProgram in_sequence(std::uint32_t blocks, std::vector<Stage> stages);

/// A program without bytes: only that messages arrive matters (barrier).
RoundProgram without_bytes(RoundProgram program);

/// A Schedule around a program.
struct PlanRequest;
Schedule rounds_schedule(const PlanRequest& request, Mechanics mechanics, RoundProgram program);

}  // namespace dsim
