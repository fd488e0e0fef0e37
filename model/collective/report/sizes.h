#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/collective/data_type.h"
#include "model/workload/program.h"

namespace dsim {

/// Larger vectors fit no GPU (288 GB of HBM in 2025), and their times would leave the range of
/// Time.
inline constexpr std::int64_t largest_collective = std::int64_t{1} << 40;
/// Sizes one sweep may have.
inline constexpr std::size_t most_sizes = 10'000;

/// Sizes as nccl-tests counts them (K, M, G are powers of 1024): "8:16G:2" from 8 B to 16 GiB,
/// doubling; "1M:9M:+1M" in steps; "8:1G" doubling; "64K"; several of them separated by commas.
/// InputError names `flag`: no number, 0, beyond `largest_collective`, first beyond last, too many.
std::vector<Bytes> parse_collective_sizes(std::string_view flag, std::string_view text);

/// "8", "64K", "1M", "1.5G": the shortest way to write a size so that the parser reads it again.
std::string collective_size_text(Bytes size);

/// What nccl-tests makes of a size: whole elements, and where each rank has a part of the vector
/// (all_gather, reduce_scatter, all_to_all, gather, scatter) parts of a multiple of 16 bytes.
/// `count` is what the table prints: elements of the vector, or of a rank's part.
struct ElementCount {
  Bytes size;  ///< may be 0: nothing is left
  std::int64_t count = 0;
};
ElementCount element_count(CollectiveOp op, Bytes size, DataType type, std::uint32_t ranks);

/// Whether the ranks hold parts of the vector.
bool is_partitioned(CollectiveOp op);

}  // namespace dsim
