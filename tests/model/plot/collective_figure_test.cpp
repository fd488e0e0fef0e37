#include "model/plot/collective_figure.h"

#include <catch2/catch.hpp>

#include "tests/support/sample_collective.h"

using namespace dsim;
using Catch::Matchers::Contains;

TEST_CASE("the figure of a sweep has prediction, limit, measured points and switches", "[plot]") {
  const CollectiveReport report = support::sample_collective();
  const Figure figure = collective_figure(report, {{1048576, 55e-6, 36e9}});
  REQUIRE(figure.panels.size() == 2);
  const Panel& busbw = figure.panels[0];
  REQUIRE(busbw.series.size() == 3);
  CHECK(busbw.series[0].points.front().y == Approx(800));  // the limit
  CHECK(busbw.series[1].points.size() == 3);
  CHECK(busbw.series[1].points[2].y == Approx(503.3164).epsilon(1e-6));
  CHECK(busbw.series[1].points[2].low.value() == Approx(503.3164 / 1.1).epsilon(1e-6));
  CHECK(busbw.series[2].points.front().y == Approx(36));
  REQUIRE(busbw.marks.size() == 2);
  CHECK(busbw.marks[0].text == "Tree/LL128");
  CHECK(busbw.marks[1].text == "Ring/Simple");
  CHECK(figure.panels[1].series[0].points[1].y == Approx(50));
  CHECK_THAT(figure_svg(figure), Contains("Ring/Simple</text>") && Contains("</svg>"));
}

TEST_CASE("a sweep of one size has a figure too", "[plot]") {
  CollectiveReport report = support::sample_collective();
  report.points.resize(1);
  const Figure figure = collective_figure(report, {});
  CHECK(figure.panels[0].x.low < 1024);
  CHECK(figure.panels[0].x.high > 1024);
  CHECK_THAT(figure_svg(figure), Contains("</svg>"));
}
