#include "model/plot/scaling_figure.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/sample_report.h"

using namespace dsim;
using Catch::Contains;

namespace {

/// 8 to 512 GPUs; each doubling keeps 97 % of the throughput a GPU.
Scaling sample_scaling() {
  Scaling scaling;
  double efficiency = 0.98;
  for (std::int64_t gpus = 8; gpus <= 512; gpus *= 2, efficiency *= 0.97) {
    Report report = support::sample_report();
    report.gpus = gpus;
    report.nodes = gpus / 8;
    report.throughput = 170 * static_cast<double>(gpus) * efficiency;
    report.scaling_efficiency = efficiency;
    scaling.points.push_back(report);
  }
  return scaling;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("The ideal line grows with the GPUs and the band is the interval of the step") {
  const Figure figure = scaling_figure(sample_scaling());
  REQUIRE(figure.panels.size() == 2);
  const Series& ideal = figure.panels[0].series[0];
  const Series& simulated = figure.panels[0].series[1];
  CHECK(ideal.points.back().y == Approx(64 * ideal.points.front().y));
  CHECK(*simulated.points[0].low == Approx(simulated.points[0].y * 0.200 / 0.225));
  CHECK(*simulated.points[0].high == Approx(simulated.points[0].y * 0.200 / 0.180));
}

TEST_CASE("Efficiency is drawn against one GPU and against the smallest size") {
  const Figure figure = scaling_figure(sample_scaling());
  const Panel& panel = figure.panels[1];
  REQUIRE(panel.series.size() == 3);
  CHECK(panel.series[1].points.back().y == Approx(0.98 * std::pow(0.97, 6)));
  CHECK(panel.series[2].points.back().y == Approx(std::pow(0.97, 6)));
  CHECK(panel.y.low <= 0.98 * std::pow(0.97, 6));
}

TEST_CASE("The drawing has a point for each size, units on its axes, and no text that breaks XML") {
  Scaling scaling = sample_scaling();
  for (Report& report : scaling.points) report.model_title = "a<b> & \"c\"";
  const std::string svg = figure_svg(scaling_figure(scaling));
  CHECK(count(svg, "<circle") == 3 * 7);
  CHECK_THAT(svg, Contains("throughput (sequences/s)"));
  CHECK_THAT(svg, Contains("scaling efficiency (%)"));
  CHECK_THAT(svg, Contains("a&lt;b&gt; &amp; &quot;c&quot;"));
  CHECK_THAT(svg, Contains("prefers-color-scheme: dark"));
  CHECK(count(svg, "nan") == 0);
  CHECK(count(svg, "inf\"") == 0);
}

TEST_CASE("One size alone still makes a drawing") {
  Scaling scaling = sample_scaling();
  scaling.points.resize(1);
  CHECK(count(figure_svg(scaling_figure(scaling)), "<circle") == 3);
}
