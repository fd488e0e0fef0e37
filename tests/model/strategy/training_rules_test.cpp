#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "tests/model/strategy/training_setup.h"

using namespace dsim;
using Catch::Matchers::Contains;

namespace {

/// What is said against a job of 16 ranks.
std::string refusal(const std::function<void(TrainingRequest&)>& change, bool experts = false) {
  BlockNetwork network;
  network.experts = experts;
  TrainingSetup setup(network.model());
  setup.request.ranks = 16;
  setup.request.options.strategy = Strategy::megatron;
  setup.request.options.accumulate = 8;
  change(setup.request);
  try {
    training_workload(setup.request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("combinations that cannot be are refused with the rule they break", "[megatron]") {
  using R = TrainingRequest;
  CHECK(refusal([](R&) {}).empty());
  CHECK_THAT(refusal([](R& r) { r.options.parallel.sequence = true; }),
             Contains("sequence parallelism needs at least 2 tensor-parallel"));
  CHECK_THAT(refusal([](R& r) { r.options.parallel.chunks = 2; }),
             Contains("virtual pipeline size of 2 needs at least 2 pipeline ranks"));
  CHECK_THAT(refusal([](R& r) { r.options.schedule = PipelineKind::zero_bubble_h1; }),
             Contains("zb-h1 needs at least 2 pipeline ranks"));
  CHECK_THAT(refusal([](R& r) { r.options.parallel.expert = 2; }), Contains("model with experts"));
  CHECK(refusal([](R& r) { r.options.parallel.expert = 2; }, true).empty());
  CHECK_THAT(refusal([](R& r) {
               r.options.strategy = Strategy::ddp;
               r.options.megatron.distributed_optimizer = true;
             }),
             Contains("distributed optimizer needs the strategy megatron, not ddp"));
  CHECK_THAT(refusal([](R& r) { r.options.megatron.overlap_param_gather = true; }),
             Contains("needs the distributed optimizer"));
  CHECK_THAT(refusal([](R& r) {
               r.options.strategy = Strategy::zero2;
               r.options.parallel.pipeline = 2;
             }),
             Contains("take zero1"));
  CHECK_THAT(refusal([](R& r) {
               r.options.strategy = Strategy::ddp;
               r.options.framework = Framework::horovod;
               r.options.parallel.tensor = 2;
             }),
             Contains("Horovod trains data-parallel"));
  CHECK_THAT(refusal([](R& r) { r.options.parallel.tensor = 3; }), Contains("does not divide"));
  CHECK_THAT(refusal([](R& r) { r.options.parallel.pipeline = 16; }), Contains("too few for 16"));
  CHECK_THAT(refusal([](R& r) {
               r.options.parallel.pipeline = 4;
               r.options.parallel.chunks = 2;
               r.options.accumulate = 6;
             }),
             Contains("multiple of the 4 pipeline ranks"));
}

TEST_CASE("ranks of a stage that are slower make a class of their own", "[megatron]") {
  TrainingSetup setup(BlockNetwork{}.model());
  setup.request.ranks = 16;
  setup.request.options.strategy = Strategy::megatron;
  setup.request.options.parallel.pipeline = 2;
  setup.request.options.accumulate = 4;
  setup.request.stragglers = {{3, 1.5}};
  const Workload workload = training_workload(setup.request);
  REQUIRE(workload.classes.size() == 3);
  CHECK(workload.classes[0].name == "stage 0, other ranks");
  CHECK(workload.classes[1].name == "stage 0, stragglers x1.5");
  CHECK(workload.classes[1].ranks == std::vector<std::uint32_t>{3});
  CHECK(workload.classes[1].program == workload.classes[0].program);
  CHECK(workload.classes[2].name == "stage 1");
}
