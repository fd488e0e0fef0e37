#include "model/plot/axis.h"

#include <catch2/catch.hpp>

#include "sim/base/quantity.h"

using namespace dsim;

namespace {
std::string plain(double value) { return format_count(value); }
}  // namespace

TEST_CASE("A linear axis has round ticks that enclose the values") {
  const Axis axis =
      linear_axis("efficiency", 0.62, 1.0, [](double v) { return format_percent(v); });
  CHECK(axis.low == Approx(0.6));
  CHECK(axis.high == Approx(1.0));
  REQUIRE(axis.ticks.size() == 5);
  CHECK(axis.ticks[1].value == Approx(0.7));
  CHECK(axis.position(0.8) == Approx(0.5));
}

TEST_CASE("A logarithmic axis puts equal ratios at equal distances") {
  const Axis axis = logarithmic_axis("throughput", 1000, 64000, plain);
  CHECK(axis.position(2000) - axis.position(1000) ==
        Approx(axis.position(64000) - axis.position(32000)));
  REQUIRE(axis.ticks.size() == 6);  // 1, 2, 5, 10, 20, 50 thousand
  CHECK(axis.ticks.front().text == "1,000");
  CHECK(axis.ticks.back().text == "50,000");
}

TEST_CASE("A count axis has a tick at each count") {
  const Axis axis = count_axis("GPUs", {8, 16, 512});
  REQUIRE(axis.ticks.size() == 3);
  CHECK(axis.ticks[2].text == "512");
  CHECK(axis.position(8) > 0);
  CHECK(axis.position(512) < 1);
}

TEST_CASE("Degenerate ranges still make an axis") {
  CHECK(linear_axis("", 1, 1, plain).ticks.size() >= 2);
  CHECK(logarithmic_axis("", 3, 3, plain).ticks.size() >= 2);
  CHECK(count_axis("", {1}).position(1) < 1);
}
