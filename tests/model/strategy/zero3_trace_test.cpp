#include "model/strategy/zero3_trace.h"

#include <catch2/catch.hpp>

#include "tests/model/strategy/training_setup.h"

using namespace dsim;

namespace {

std::int64_t gathered(const Zero3Trace& trace) {
  std::int64_t elements = 0;
  for (const Zero3Gather& gather : trace.gathers)
    elements += gather.elements[0] + gather.elements[1];
  return elements;
}

std::int64_t partitioned(const Zero3Trace& trace) {
  std::int64_t elements = 0;
  for (const Zero3Module& module : trace.modules) elements += module.elements;
  return elements;
}

}  // namespace

TEST_CASE("without reuse ZeRO-3 gathers every module for forward and again for backward") {
  const Model model = BlockNetwork{}.model();
  ZeroOptions options;
  options.prefetch_elements = 0;
  const Zero3Trace trace = zero3_trace(model, options, false, 0);
  CHECK(partitioned(trace) + trace.persistent == model.local_parameter_count());
  CHECK(trace.persistent == 8 * 1024);
  CHECK(gathered(trace) == 2 * partitioned(trace));
}

TEST_CASE("what is used again within the reuse distance stays") {
  const Model model = BlockNetwork{}.model();
  const Zero3Trace trace = zero3_trace(model, {});
  CHECK(gathered(trace) == partitioned(trace));
  // Head and the last block: the head's backward follows at once, then the block's.
  const Zero3Trace some = zero3_trace(model, {}, false, 10 << 20);
  CHECK(gathered(some) < 2 * partitioned(some));
  CHECK(gathered(some) > partitioned(some));
}

TEST_CASE("a layer waits for gathers that were started before it") {
  ZeroOptions options;
  options.prefetch_elements = GENERATE(0, 1, 6 << 20, 50'000'000);
  const std::int64_t reuse = GENERATE(0, 9 << 20);
  const Zero3Trace trace = zero3_trace(BlockNetwork{}.model(), options, false, reuse);
  std::vector<bool> started(trace.gathers.size(), false);
  for (const Zero3Use& use : trace.uses) {
    for (const std::size_t gather : use.starts) {
      CHECK_FALSE(started[gather]);
      started[gather] = true;
    }
    std::vector<bool> there(trace.modules.size(), false);
    for (const std::size_t gather : use.waits) {
      CHECK(started[gather]);
      for (const std::size_t module : trace.gathers[gather].modules) there[module] = true;
    }
    for (const std::size_t module : use.modules) CHECK(there[module]);
  }
  for (const bool gather : started) CHECK(gather);
}

TEST_CASE("prefetch stops at the limit of live parameters, but for a module") {
  const std::int64_t limit = GENERATE(5 << 20, 12 << 20);
  const Zero3Trace trace = zero3_trace(BlockNetwork{}.model(), {}, false, 0, limit);
  // One module more than fits is on its way, and one that nobody foresaw is fetched all the same.
  CHECK(trace.most_live <= limit + 2 * (4 << 20));
  CHECK(trace.most_live > (4 << 20));
}

TEST_CASE("a head that shares the embedding gathers it") {
  Model model = BlockNetwork{}.model();
  const auto modules = [&] { return zero3_trace(model, {}).uses[9].modules.size(); };
  CHECK(modules() == 1);
  model.tied_embeddings = true;
  CHECK(modules() == 2);
}
