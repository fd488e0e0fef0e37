#include "calibrate/validate/statistics.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace dsim;

TEST_CASE("the median of an odd and of an even number of errors") {
  // Errors 10, 20, 30 %: the middle one. With 40 %: half way between 20 and 30.
  const double odd[] = {1.1, 0.8, 1.3};
  const double even[] = {1.1, 0.8, 1.3, 0.6};
  CHECK(summarise(odd).median == Approx(0.2));
  CHECK(summarise(even).median == Approx(0.25));
  CHECK(summarise(even).worst == Approx(0.4));
  CHECK(summarise(even).mean == Approx(0.25));
}

TEST_CASE("the 90th percentile of 0, 1 ... 10 % is 9 %") {
  std::vector<double> ratios;
  for (int i = 0; i <= 10; ++i) ratios.push_back(1 + i * 0.01);
  CHECK(summarise(ratios).p90 == Approx(0.09));
  // Between ranks it is linear: of 0 and 10 % it is 9 %.
  CHECK(quantile({0.0, 0.1}, 0.9) == Approx(0.09));
}

TEST_CASE("twice too slow and twice too fast have no bias together") {
  const double ratios[] = {2.0, 0.5};
  CHECK(summarise(ratios).bias == Approx(0).margin(1e-15));
  const double slow[] = {2.0, 8.0};  // sqrt(2 * 8) = 4
  CHECK(summarise(slow).bias == Approx(3.0));
}

TEST_CASE("scaling every ratio scales 1 + bias by as much") {
  const auto seed = GENERATE(1u, 2u, 3u);
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::lognormal_distribution<double> distribution(0, 0.3);
  std::vector<double> ratios(57);
  for (double& ratio : ratios) ratio = distribution(random);
  const double before = summarise(ratios).bias;
  for (double& ratio : ratios) ratio *= 1.25;
  CHECK((1 + summarise(ratios).bias) / (1 + before) == Approx(1.25));
}

TEST_CASE("no points have no figures") {
  const ErrorSummary none = summarise({});
  CHECK(none.points == 0);
  CHECK(std::isnan(none.median));
  CHECK(closing_line(none, 3) ==
        "median nan % p90 nan % worst nan % over 0 points (3 rows not predictable)");
}

TEST_CASE("the closing line has its fixed form") {
  const ErrorSummary summary{1204, 0.1, 0.0814, 0.2196, 0.61, -0.02};
  CHECK(closing_line(summary, 37) ==
        "median 8.1 % p90 22.0 % worst 61.0 % over 1204 points (37 rows not predictable)");
}
