#pragma once
#include <cstdint>
#include <string>

#include "model/collective/schedule.h"

namespace dsim {

/// Plays a program with sets of contributing ranks instead of numbers and says what is wrong first:
/// "rank 3, block 2: the part of rank 1 is added twice (round 4)"; "" if every rank ends with what
/// the operation promises, each part in it exactly once. `root` of broadcast, reduce, gather,
/// scatter. Memory is ranks^2 x blocks bits.
std::string first_fault(const RoundProgram& program, CollectiveOp op, std::uint32_t ranks,
                        std::uint32_t root = 0);

/// The rank that begins an all_gather, or ends a reduce_scatter, with a block.
std::uint32_t owner_of(const RoundProgram& program, std::uint32_t ranks, std::uint32_t block);

/// Share of the size in a transfer.
double share_of(const RoundProgram& program, const Transfer& transfer);

}  // namespace dsim
