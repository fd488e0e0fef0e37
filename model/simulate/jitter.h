#pragma once
#include <cstdint>
#include <vector>

namespace dsim {

/// How much longer than usual the slowest of each class of ranks computes in a step, drawn with
/// `seed`: the largest of one log-normal factor a rank (median 1, sigma `spread`). A class moves at
/// the pace of its slowest member, because they all meet in collectives.
std::vector<double> jitter_factors(const std::vector<std::size_t>& class_sizes, double spread,
                                   std::uint64_t seed);

}  // namespace dsim
