#include "model/compute/spread.h"

#include <cmath>

namespace dsim {

namespace {

// Standard normal quantile by bisection; asked for once a simulation.
double normal_quantile(double probability) {
  double low = -10, high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

double expected_largest(double n) { return normal_quantile((n - .375) / (n + .25)); }

}  // namespace

Constant built_in_gpu_spread() {
  return {
      .015, .5, Level::published,
      "stas00/ml-engineering 744d01e1 compute/accelerator: 5 % and more between the GPUs of a node",
      "healthy GPUs of one model; 5 % of range among 8 is 1.5 to 1.8 % of deviation"};
}

double slowest_gpu_factor(std::uint32_t ranks, double spread) {
  return (1 + spread * expected_largest(ranks)) / (1 + spread * expected_largest(8));
}

}  // namespace dsim
