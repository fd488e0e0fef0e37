// Requests that cannot be served are refused in words; everything else has a finite, positive time.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "model/collective/predictor.h"
#include "sim/base/error.h"
#include "tests/model/collective/worlds.h"

using namespace dsim;
using namespace dsim::test;

namespace {

CollectiveSetup on(const std::string& topology, const std::string& algorithm = "") {
  CollectiveSetup setup;
  setup.topology = shipped(topology);
  setup.algorithm = algorithm;
  return setup;
}

CollectiveQuery ask(CollectiveOp op, std::int64_t bytes, std::uint32_t root = 0) {
  CollectiveQuery query;
  query.op = op;
  query.size = Bytes{bytes};
  query.root = root;
  return query;
}

// What is said against a request; "accepted" if nothing is.
std::string refusal(const CollectiveSetup& setup, const CollectiveQuery& query) {
  try {
    CollectivePredictor(setup).predict(query);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& text, std::string_view words) {
  INFO(text);
  return text.find(words) != text.npos;
}

}  // namespace

TEST_CASE("a rank twice, one that is not there and a root outside are refused by number") {
  const CollectiveQuery query = ask(CollectiveOp::all_reduce, 1 << 20);
  CollectiveSetup setup = on("dgx-h100x1.json");
  setup.ranks = {GpuId{0}, GpuId{3}, GpuId{3}};
  CHECK(says(refusal(setup, query), "GPU 3 is in the communicator twice"));
  setup.ranks = {GpuId{0}, GpuId{8}};
  CHECK(says(refusal(setup, query), "rank on GPU 8"));
  setup.ranks = {GpuId{5}, GpuId{1}};
  CHECK(refusal(setup, query) == "accepted");
  const std::string root = refusal(setup, ask(CollectiveOp::broadcast, 1 << 20, 2));
  CHECK(says(root, "root 2"));
  CHECK(says(root, "ranks 0 to 1"));
}

TEST_CASE("sizes of nothing, less than nothing and more than a machine holds are refused") {
  const auto bytes = GENERATE(std::int64_t{0}, std::int64_t{-1}, INT64_MIN);
  CAPTURE(bytes);
  for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_to_all})
    CHECK(says(refusal(on("dgx-h100x1.json"), ask(op, bytes)), "at least 1 B"));
}

TEST_CASE("the largest size there is takes long, not for ever, and no number overflows") {
  const auto op = GENERATE(from_range(all_collectives()));
  const auto fidelity = GENERATE(Fidelity::fluid, Fidelity::closed);
  CAPTURE(name_of(op), name_of(fidelity));
  CollectiveSetup setup = on("dgx-h100x2.json");
  setup.fidelity = fidelity;
  CollectivePredictor predictor(setup);
  // 2^62 B at 450 GB/s are 118 days; the time of a barrier does not depend on it.
  const double seconds = predictor.predict(ask(op, std::int64_t{1} << 62)).seconds;
  CHECK(std::isfinite(seconds));
  if (op != CollectiveOp::barrier) CHECK(seconds > 1e5);
  CHECK(seconds < 1e11);
}

TEST_CASE("an algorithm that cannot do an op or cannot run there says why") {
  const CollectiveQuery query = ask(CollectiveOp::all_reduce, 1 << 20);
  CHECK(says(refusal(on("dgx-h100x1.json", "tree"), ask(CollectiveOp::all_gather, 1 << 20)),
             "tree cannot all_gather"));
  CHECK(says(refusal(on("dgx-a100x1.json", "nvls"), query), "NVLS needs"));
  CHECK(says(refusal(on("pcie-l40sx1.json", "nvls"), query), "NVLS needs an NVSwitch"));
  CHECK(says(refusal(on("dgx-h100x2.json", "nvls"), query), "one NVLink domain"));
  CHECK(says(refusal(on("dgx-h100x1.json", "nvls_tree"), query), "several nodes"));
  CHECK(says(refusal(on("dgx-h100x2.json", "collnet_chain"), query), "NCCL_COLLNET_ENABLE"));
  const std::string unknown = refusal(on("dgx-h100x1.json", "rnig"), query);
  CHECK(says(unknown, "rnig"));
  CHECK(says(unknown, "ring"));
}

TEST_CASE("what runs under Simple only refuses LL and LL128") {
  // NVIDIA/nccl src/graph/tuning.cc: NVLS, NVLS-tree, CollNet and PAT have no LL kernels.
  const auto protocol = GENERATE(Protocol::ll, Protocol::ll128);
  const auto [algorithm, topology] = GENERATE(table<std::string, std::string>(
      {{"nvls", "dgx-h100x1.json"}, {"nvls_tree", "dgx-h100x2.json"}}));
  CAPTURE(name_of(protocol), algorithm);
  CollectiveSetup setup = on(topology, algorithm);
  setup.protocol = protocol;
  CHECK(says(refusal(setup, ask(CollectiveOp::all_reduce, 1 << 20)), name_of(protocol)));
}

TEST_CASE("no channels are refused") {
  CollectiveSetup setup = on("dgx-h100x1.json");
  setup.channels = 0;
  CHECK(says(refusal(setup, ask(CollectiveOp::all_reduce, 1 << 20)), "channel"));
}

TEST_CASE("no op, algorithm, size or machine gives a time that is not finite and positive") {
  const auto name = GENERATE("dgx-h100x1.json", "dgx-h100x2.json", "pcie-l40sx1.json",
                             "ws-2x1.json", "ring4.json", "torus-4x4.json", "gb200-nvl72x1.json",
                             "kestrel-dragonfly.json", "explicit-2x2.json", "mi300xx1.json");
  std::mt19937_64 random(Catch::rngSeed());
  const auto all = shipped(name);
  // Of large machines a part, at times one or two GPUs.
  for (const std::size_t gpus :
       {std::size_t{1}, std::size_t{2}, std::min<std::size_t>(all->gpu_count(), 32)}) {
    if (gpus > all->gpu_count()) continue;
    for (const Algorithm* algorithm : algorithms()) {
      if (algorithm->name == "custom") continue;
      CollectiveSetup setup;
      setup.topology = all;
      for (std::size_t g = 0; g < gpus; ++g) setup.ranks.emplace_back(g);
      setup.algorithm = std::string(algorithm->name);
      CollectivePredictor predictor(setup);
      for (const CollectiveOp op : all_collectives())
        for (int i = 0; i < 3; ++i) {
          const std::int64_t bytes =
              i == 0 ? 1 : static_cast<std::int64_t>(random() >> (2 + random() % 61)) + 1;
          CAPTURE(name, gpus, algorithm->name, name_of(op), bytes, Catch::rngSeed());
          try {
            const CollectivePrediction p =
                predictor.predict(ask(op, bytes, static_cast<std::uint32_t>(random() % gpus)));
            CHECK(std::isfinite(p.seconds));
            CHECK(p.seconds > 0);
            CHECK(std::isfinite(p.busbw));
            CHECK(p.busbw >= 0);
            CHECK(p.low > 0);
            CHECK(p.low <= p.seconds);
            CHECK(p.seconds <= p.high);
            CHECK_FALSE(p.bottleneck.empty());
          } catch (const InputError& error) {
            CHECK_FALSE(std::string(error.what()).empty());
            break;
          }
        }
    }
  }
}
