#include "model/simulate/jitter.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace dsim {

std::vector<double> jitter_factors(const std::vector<std::size_t>& class_sizes, double spread,
                                   std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  const auto uniform = [&] { return (static_cast<double>(draw() >> 11) + .5) * 0x1p-53; };
  std::vector<double> factors;
  for (const std::size_t ranks : class_sizes) {
    double largest = -1e9;
    for (std::size_t rank = 0; rank < ranks; ++rank) {  // Box-Muller, one of the two
      const double radius = std::sqrt(-2 * std::log(uniform()));
      largest = std::max(largest, radius * std::cos(2 * std::numbers::pi * uniform()));
    }
    factors.push_back(ranks > 0 ? std::exp(spread * largest) : 1);
  }
  return factors;
}

}  // namespace dsim
