#pragma once
// Rings of CPU libraries: like `ring`, but in rounds between processes and cut into segments.
#include <algorithm>
#include <cstdint>

#include "model/collective/round_stages.h"

namespace dsim {

/// What Gloo and Open MPI cut long blocks into, bytes (pytorch/gloo gloo/allreduce.cc
/// maxSegmentSize; open-mpi/ompi coll_tuned_decision_fixed.c).
inline constexpr std::int64_t ring_segment_bytes = 1 << 20;

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

/// A program has fewer than 2^31 rounds and blocks: sizes beyond are cut coarser.
inline std::uint32_t pieces_of(std::int64_t wanted, std::uint32_t ranks) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(wanted, 1, (1 << 30) / ranks));
}

/// An all-reduce around the ring of all ranks in messages of 1/(ranks * pieces) of the size.
RoundProgram ring_in_pieces(std::uint32_t ranks, std::uint32_t pieces);

}  // namespace dsim
