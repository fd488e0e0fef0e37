#include "sim/network/activity_network.h"

#include <catch2/catch.hpp>
#include <random>

using namespace dsim;

namespace {
struct Ends {
  explicit Ends(const Engine& e) : engine(&e) {}
  const Engine* engine;
  std::vector<std::pair<std::uint64_t, Time>> list;
  void note(std::uint64_t which) { list.emplace_back(which, engine->now()); }
};
// Runs everything that is due now, including what that asks for.
void settle(Engine& engine) {
  for (int round = 0; round < 3; ++round) {
    bool reached = false;
    engine.schedule(
        engine.now(), [](void* flag, std::uint64_t) { *static_cast<bool*>(flag) = true; },
        &reached);
    while (!reached) engine.step();
  }
}

const Load link0[] = {{0, 1}};
const Load link1[] = {{1, 1}};
}  // namespace

TEST_CASE("one activity takes work over capacity") {
  Engine engine;
  ActivityNetwork network(engine, {1e9});
  Ends ends(engine);
  network.start<&Ends::note>({.work = 1e6, .loads = link0}, ends, 1);
  engine.run();
  REQUIRE(ends.list.size() == 1);
  CHECK(ends.list[0].second == 1_ms);
}

TEST_CASE("an activity that joins slows the first, and the end of one speeds up the other") {
  // 1 GB/s. A: 3 MB at 0. B: 1 MB at 1 ms. Alone 1 ms, shared until B ends at 3 ms, A ends at 4 ms.
  Engine engine;
  ActivityNetwork network(engine, {1e9});
  Ends ends(engine);
  struct Later {
    ActivityNetwork* network;
    Ends* ends;
    void go(std::uint64_t) { network->start<&Ends::note>({.work = 1e6, .loads = link0}, *ends, 2); }
  } later{&network, &ends};
  network.start<&Ends::note>({.work = 3e6, .loads = link0}, ends, 1);
  engine.schedule<&Later::go>(1_ms, later);
  engine.run();
  REQUIRE(ends.list.size() == 2);
  CHECK(ends.list[0] == std::pair<std::uint64_t, Time>{2, 3_ms});
  CHECK(ends.list[1] == std::pair<std::uint64_t, Time>{1, 4_ms});
}

TEST_CASE("what is held of a resource is not there for activities") {
  Engine engine;
  ActivityNetwork network(engine, {100});
  Ends ends(engine);
  network.hold(ResourceId{0}, 25);
  network.start<&Ends::note>({.work = 1, .cap = 1, .loads = std::span<const Load>(link0)}, ends, 0);
  const Load whole[] = {{0, 100}};
  network.start<&Ends::note>({.work = 1, .cap = 1, .loads = whole}, ends, 1);
  engine.run();
  // Shares 1:1 in rate: both at 75/101 of their cap.
  CHECK(ends.list[0].second.seconds() == Approx(101.0 / 75.0));
}

TEST_CASE("activities on separate resources do not disturb each other") {
  Engine engine;
  ActivityNetwork network(engine, {10, 10});
  Ends ends(engine);
  network.start<&Ends::note>({.work = 10, .loads = link0}, ends, 0);
  network.start<&Ends::note>({.work = 20, .loads = link1}, ends, 1);
  engine.run();
  CHECK(ends.list[0].second == 1_s);
  CHECK(ends.list[1].second == 2_s);
}

TEST_CASE("incremental solving gives the rates of a full solve") {
  const auto seed = GENERATE(range(0u, 40u));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Engine engine;
  std::vector<double> capacities;
  for (unsigned r = 0; r < 8; ++r) capacities.push_back(1 + pick(20));
  ActivityNetwork network(engine, capacities);
  Ends ends(engine);
  struct Running {
    Activity activity;
    ActivityId id;
    std::vector<Load> loads;
  };
  std::vector<std::unique_ptr<Running>> all;
  std::vector<char> ended;
  for (unsigned i = 0; i < 60; ++i) {
    auto run = std::make_unique<Running>();
    for (unsigned r = 0; r < 8; ++r)
      if (pick(4) == 0) run->loads.push_back({r, 1.0 + pick(3)});
    run->activity = {.work = 1.0 + pick(30),
                     .cap = 0.5 + pick(10),
                     .weight = 1.0 + pick(2),
                     .loads = run->loads};
    run->id = network.start<&Ends::note>(run->activity, ends, i);
    all.push_back(std::move(run));
    // A few events pass, then the instant settles.
    for (unsigned steps = pick(4); steps > 0; --steps) engine.step();
    settle(engine);
    ended.assign(all.size(), 0);
    for (const auto& [which, when] : ends.list) ended[which] = 1;
    MaxMinProblem problem;
    problem.capacity = capacities;
    std::vector<std::size_t> index;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (!ended[k]) {
        problem.add(all[k]->activity.cap, all[k]->activity.weight, all[k]->loads);
        index.push_back(k);
      }
    std::vector<double> expected(index.size());
    MaxMinScratch scratch;
    max_min_rates(problem, expected, scratch);
    for (std::size_t k = 0; k < index.size(); ++k)
      REQUIRE(network.rate(all[index[k]]->id) == Approx(expected[k]).epsilon(1e-9));
  }
  engine.run();
  CHECK(ends.list.size() == 60);
}
