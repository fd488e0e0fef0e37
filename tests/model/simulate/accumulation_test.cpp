#include <catch2/catch.hpp>

#include "model/simulate/experiment.h"

using namespace dsim;

namespace {

double step(const std::string& model, std::int64_t micro_batch, std::int64_t accumulate) {
  Experiment experiment;
  experiment.topology = load_topology("dgx-h100x1.json");
  Job& job = experiment.jobs.front();
  job.model = model;
  job.micro_batch = micro_batch;
  job.training.accumulate = accumulate;
  RunControl control;
  control.elasticities = false;
  control.scaling = false;
  return simulate(experiment, control).step_time_s;
}

}  // namespace

// Beyond three micro-batches the second is repeated, not simulated. A step of k then costs k - 3
// times what separates steps of two and three, which are simulated in full.
TEST_CASE("a repeated micro-batch costs what a simulated one does") {
  SECTION("where the GPU is the limit") {
    const double three = step("bert-base", 32, 3), period = three - step("bert-base", 32, 2);
    CHECK(step("bert-base", 32, 4) == Approx(three + period).epsilon(0.01));
    CHECK(step("bert-base", 32, 16) == Approx(three + 13 * period).epsilon(0.01));
  }
  SECTION("where the host is the limit") {
    const double three = step("resnet-18", 1, 3), period = three - step("resnet-18", 1, 2);
    CHECK(step("resnet-18", 1, 4) == Approx(three + period).epsilon(0.01));
    CHECK(step("resnet-18", 1, 16) == Approx(three + 13 * period).epsilon(0.01));
  }
}
