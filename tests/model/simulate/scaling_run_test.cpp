#include "model/simulate/scaling_run.h"

#include <catch2/catch.hpp>
#include <vector>

#include "model/simulate/settings.h"
#include "sim/base/error.h"

using namespace dsim;

namespace {

ExperimentDraft small_draft() {
  ExperimentDraft draft;
  draft.topology = "dgx-h100x2";
  draft.experiment.jobs[0].model = "resnet-18";
  return draft;
}

RunControl fast() {
  RunControl control;
  control.elasticities = control.scaling = false;
  return control;
}

}  // namespace

TEST_CASE("Weak scaling keeps the micro-batch, strong scaling the global batch") {
  const std::vector<std::int64_t> sizes{4, 8, 16};
  const Scaling weak = simulate_scaling(small_draft(), sizes, ScalingMode::weak, fast());
  const Scaling strong = simulate_scaling(small_draft(), sizes, ScalingMode::strong, fast());
  REQUIRE(weak.points.size() == 3);
  REQUIRE(strong.points.size() == 3);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(weak.points[i].gpus == sizes[i]);
    CHECK(weak.points[i].micro_batch == weak.points[0].micro_batch);
    CHECK(weak.points[i].accumulate == 1);
    const Report& report = strong.points[i];
    CHECK(report.micro_batch * report.accumulate * report.gpus == 16 * weak.points[0].micro_batch);
  }
  CHECK(strong.points.back().step_time_s == weak.points.back().step_time_s);  // the same experiment
  CHECK(weak.efficiency_to_first(0) == 1);
  CHECK(weak.efficiency_to_first(2) < 1.02);
}

TEST_CASE("Scaling reports progress from 0 to 1 over all its sizes") {
  RunControl control = fast();
  std::vector<double> fractions;
  control.progress = [&](double fraction) { fractions.push_back(fraction); };
  simulate_scaling(small_draft(), {8, 16}, ScalingMode::weak, control);
  REQUIRE(fractions.size() >= 2);
  for (std::size_t i = 1; i < fractions.size(); ++i) CHECK(fractions[i] >= fractions[i - 1]);
  CHECK(fractions.front() >= 0);
  CHECK(fractions.back() == Approx(1));
}

TEST_CASE("A size that cannot be is refused before anything is simulated") {
  RunControl control = fast();
  int calls = 0;
  control.progress = [&](double) { ++calls; };
  CHECK_THROWS_AS(simulate_scaling(small_draft(), {8, 24}, ScalingMode::weak, control), InputError);
  ExperimentDraft uneven = small_draft();
  uneven.global_batch = 100;
  CHECK_THROWS_AS(simulate_scaling(uneven, {8, 16}, ScalingMode::strong, control), InputError);
  CHECK(calls == 0);
}
