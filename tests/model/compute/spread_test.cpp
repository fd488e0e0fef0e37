#include "model/compute/spread.h"

#include <catch2/catch.hpp>

using namespace dsim;

TEST_CASE("the slowest of more GPUs is slower, as order statistics say") {
  // Expected largest of n standard normal values: 0, 1.4236, 2.508 (n = 1, 8, 100; tables of order
  // statistics, Harter 1961).
  const double s = .015;
  CHECK(slowest_gpu_factor(8, s) == 1);
  CHECK(slowest_gpu_factor(1, s) == Approx(1 / (1 + s * 1.4236)).epsilon(5e-4));
  CHECK(slowest_gpu_factor(100, s) == Approx((1 + s * 2.508) / (1 + s * 1.4236)).epsilon(5e-4));
  CHECK(slowest_gpu_factor(512, 0) == 1);
  for (std::uint32_t n = 1; n < 4096; n *= 2)
    CHECK(slowest_gpu_factor(2 * n, s) > slowest_gpu_factor(n, s));
}
