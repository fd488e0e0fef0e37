#include "calibrate/validate/collective/switches.h"

#include <catch2/catch.hpp>

using namespace dsim;

namespace {

/// A healthy run of these measured times at 64 KiB, 128 KiB, ..., predicted to change at `change`.
CollectiveValidation run_of(const std::vector<double>& microseconds, std::size_t change) {
  CollectiveValidation validation;
  validation.series.push_back({.name = "run"});
  MeasuredRun run;
  run.health = Health::healthy;
  for (std::size_t i = 0; i < microseconds.size(); ++i) {
    ComparedPoint point;
    point.bytes = std::int64_t{65536} << i;
    point.status = PointStatus::compared;
    point.predicted_s = point.measured_s = microseconds[i] * 1e-6;
    point.algorithm = i < change ? "tree" : "nvls_tree";
    point.protocol = "Simple";
    run.points.push_back(point);
  }
  validation.runs.push_back(run);
  validation.runs[0].plan.series = validation.series.data();
  return validation;
}

}  // namespace

TEST_CASE("a time that falls while the size doubles is a switch", "[collectives]") {
  const auto switches = switch_sizes(run_of({50, 60, 90, 70, 90}, 3));
  REQUIRE(switches.size() == 1);
  CHECK(switches[0].falls);
  CHECK(switches[0].bytes == 65536 << 3);
  CHECK(switches[0].met());
  CHECK(switches[0].change == "tree Simple to nvls_tree Simple");
}

TEST_CASE("a jump between smooth parts is a switch, a smooth curve is none", "[collectives]") {
  const auto jump = switch_sizes(run_of({50, 55, 90, 99, 110}, 5));
  REQUIRE(jump.size() == 1);
  CHECK_FALSE(jump[0].falls);
  CHECK(jump[0].bytes == 65536 << 2);
  CHECK_FALSE(jump[0].met());  // nothing changes in the prediction
  CHECK(switch_sizes(run_of({50, 60, 75, 100, 145, 220, 360}, 3)).empty());
}

TEST_CASE("a predicted change two octaves away does not explain a kink", "[collectives]") {
  const auto switches = switch_sizes(run_of({50, 60, 90, 70, 90, 110}, 5));
  REQUIRE(switches.size() == 1);
  CHECK(switches[0].octaves == Approx(2));
  CHECK_FALSE(switches[0].met());
}
