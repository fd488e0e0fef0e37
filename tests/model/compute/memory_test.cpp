#include "model/compute/memory.h"

#include <catch2/catch.hpp>

using namespace dsim;

namespace {

constexpr double billion = 1e9;

/// One layer with 1e9 parameters that keeps 1 GB of activations a sample, on a GPU of 80 GB.
struct Setup {
  Model model;
  Gpu gpu{};
  DdpOptions options;
  std::int64_t accumulate = 1;
  const OptimizerKind* optimizer = &optimizer_kind("adam");
  Precision precision = Precision::bf16;
  std::uint32_t ranks = 8;

  Setup() {
    model.parameters.push_back({"weight", {1'000'000'000}, 1'000'000'000});
    gpu.hbm_bytes = 80e9;
    samples(16);
  }
  void samples(int count) {
    model.samples = count;
    Layer layer;
    layer.name = "layer";
    layer.saved_bytes = 1e9 * count;
    model.layers.assign(1, layer);
    model.workspace_bytes = 1e8 * count;
  }
  MemoryFootprint footprint() const {
    return memory_footprint(request());
  }
  std::string advice() const {
    return memory_advice(request());
  }
  MemoryRequest request() const {
    MemoryRequest request{&model, precision, false, optimizer, {}, ranks, &gpu};
    request.training.ddp = options;
    request.training.accumulate = accumulate;
    return request;
  }
};

}  // namespace

// Adam in mixed precision: 4 + 2 weights, 4 gradient, 8 states = 18 B a parameter, the count of
// Megatron-LM's training/theoretical_memory_usage.py; DDP adds a flat copy of the gradients.
TEST_CASE("mixed-precision Adam takes 18 bytes a parameter and DDP 4 more") {
  Setup setup;
  const MemoryFootprint memory = setup.footprint();
  CHECK(memory.parameters == 6 * billion);
  CHECK(memory.gradients == 4 * billion);
  CHECK(memory.optimizer == 8 * billion);
  CHECK(memory.buckets == 4 * billion);
  CHECK(memory.activations == 16e9);
  CHECK(memory.workspace == Approx(1.6e9));
}

TEST_CASE("fp32 training keeps no copies of the weights: 16 bytes with Adam, 12 with SGD") {
  Setup setup;
  setup.precision = GENERATE(Precision::fp32, Precision::tf32);
  setup.ranks = 1;
  const auto states = [&setup](const char* optimizer) {
    setup.optimizer = &optimizer_kind(optimizer);
    const MemoryFootprint memory = setup.footprint();
    return memory.parameters + memory.gradients + memory.optimizer + memory.buckets;
  };
  CHECK(states("adam") == 16 * billion);
  CHECK(states("sgd") == 12 * billion);
}

TEST_CASE("bucket views save one copy of the gradients, a single rank has no buckets") {
  Setup setup;
  const double plain = setup.footprint().total();
  setup.options.gradient_as_bucket_view = true;
  const double slack = built_in_memory_constants().allocator_slack;
  CHECK(plain - setup.footprint().total() == Approx(4 * billion * (1 + slack)));
  setup.options.gradient_as_bucket_view = false;
  setup.ranks = 1;
  CHECK(setup.footprint().buckets == 0);
  CHECK(setup.footprint().context < Setup{}.footprint().context);
}

TEST_CASE("what fits needs no advice") {
  Setup setup;
  REQUIRE(setup.footprint().fits());
  CHECK(setup.advice().empty());
}

TEST_CASE("bucket views are advised where they suffice") {
  Setup setup;
  setup.gpu.hbm_bytes = setup.footprint().total() - 1e9;
  CHECK_THAT(setup.advice(),
             Catch::Contains("--gradient-as-bucket-view") && Catch::Contains("3.91 GiB"));
}

TEST_CASE("the advised micro-batch fits and the next larger one does not") {
  Setup setup;
  setup.samples(1);
  const MemoryFootprint one = setup.footprint();
  setup.samples(100);
  setup.accumulate = 2;
  setup.gpu.hbm_bytes = one.total() + 30e9;
  const int batch = GENERATE(0, 1) + 26;  // 30e9 / (1.1e9 * 1.05) = 25.97 more than one
  setup.samples(batch);
  CHECK(setup.footprint().fits() == (batch == 26));
  setup.samples(100);
  CHECK_THAT(setup.advice(), Catch::Contains("--micro-batch 26)") &&
                                 Catch::Contains("--accumulate 8") &&
                                 Catch::Contains("about as large"));
}

TEST_CASE("both are advised where neither suffices alone") {
  Setup setup;
  setup.samples(100);
  setup.gpu.hbm_bytes = 24e9;  // 22 GB and context leave no room; 18 GB leave a few samples
  CHECK_THAT(setup.advice(),
             Catch::Contains("--gradient-as-bucket-view") && Catch::Contains("--micro-batch"));
}

TEST_CASE("states that exceed the memory cannot be helped by a smaller batch") {
  Setup setup;
  setup.ranks = GENERATE(1U, 8U);
  setup.gpu.hbm_bytes = 16e9;
  CHECK_THAT(setup.advice(), Catch::Contains("No micro-batch fits") && Catch::Contains("16.8 GiB"));
}
