#include "sim/engine/engine.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

using namespace dsim;

namespace {
struct Log {
  explicit Log(const Engine& e) : engine(&e) {}
  std::vector<std::uint64_t> seen;
  std::vector<Time> times;
  const Engine* engine;
  void note(std::uint64_t value) {
    seen.push_back(value);
    times.push_back(engine->now());
  }
};
}  // namespace

TEST_CASE("events run in time order, equal times in scheduling order") {
  Engine engine;
  Log log(engine);
  engine.schedule<&Log::note>(20_ns, log, 1);
  engine.schedule<&Log::note>(10_ns, log, 2);
  engine.schedule<&Log::note>(20_ns, log, 3);
  engine.schedule<&Log::note>(10_ns, log, 4);
  engine.run();
  CHECK(log.seen == std::vector<std::uint64_t>{2, 4, 1, 3});
  CHECK(log.times.back() == 20_ns);
  CHECK(engine.fired() == 4);
}

TEST_CASE("an event at time zero runs") {
  Engine engine;
  Log log(engine);
  engine.schedule<&Log::note>(0_ns, log, 7);
  engine.run();
  CHECK(log.seen == std::vector<std::uint64_t>{7});
}

TEST_CASE("a cancelled event does not run, and cancelling twice or late does nothing") {
  Engine engine;
  Log log(engine);
  const EventId first = engine.schedule<&Log::note>(1_ns, log, 1);
  const EventId second = engine.schedule<&Log::note>(2_ns, log, 2);
  engine.cancel(first);
  engine.cancel(first);
  CHECK(engine.pending() == 1);
  engine.run();
  CHECK(log.seen == std::vector<std::uint64_t>{2});
  engine.cancel(second);
  engine.cancel(EventId{});
  CHECK(engine.pending() == 0);
  // The slot is used again: the old id must not cancel the new event.
  engine.schedule<&Log::note>(3_ns, log, 3);
  engine.cancel(second);
  engine.run();
  CHECK(log.seen == std::vector<std::uint64_t>{2, 3});
}

TEST_CASE("scheduling in the past is refused") {
  Engine engine;
  Log log(engine);
  engine.schedule<&Log::note>(5_ns, log, 1);
  engine.run();
  CHECK_THROWS_AS(engine.schedule<&Log::note>(4_ns, log, 2), std::logic_error);
}

TEST_CASE("the heap agrees with an ordered map under random scheduling and cancelling") {
  const auto seed = GENERATE(1u, 2u, 3u, 4u, 5u);
  CAPTURE(seed);
  std::mt19937 random(seed);
  Engine engine;
  Log log(engine);
  std::multimap<std::int64_t, std::uint64_t> expected;  // equal keys keep insertion order
  std::vector<std::pair<EventId, std::multimap<std::int64_t, std::uint64_t>::iterator>> open;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const Time when{static_cast<std::int64_t>(random() % 700)};
    const EventId id = engine.schedule<&Log::note>(when, log, i);
    open.emplace_back(id, expected.emplace(when.ps, i));
    if (random() % 3 == 0) {
      const std::size_t victim = random() % open.size();
      engine.cancel(open[victim].first);
      expected.erase(open[victim].second);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(victim));
    }
  }
  CHECK(engine.pending() == expected.size());
  engine.run();
  std::vector<std::uint64_t> order;
  for (const auto& [when, value] : expected) order.push_back(value);
  CHECK(log.seen == order);
}
