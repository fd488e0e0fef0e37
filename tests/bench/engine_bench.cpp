#include <benchmark/benchmark.h>

#include <random>

#include "sim/engine/engine.h"
#include "sim/network/activity_network.h"

using namespace dsim;

namespace {

// Every event schedules its successor a pseudo-random time later: the number pending stays the
// same.
struct Hold {
  Engine* engine;
  std::uint32_t state = 1;
  void fire(std::uint64_t) {
    state = state * 1664525u + 1013904223u;
    engine->schedule<&Hold::fire>(engine->now() + Time{1 + (state >> 12)}, *this);
  }
};

void schedule_and_fire(benchmark::State& state) {
  Engine engine;
  Hold hold{&engine};
  std::mt19937 random(1);
  for (std::int64_t i = 0; i < state.range(0); ++i)
    engine.schedule<&Hold::fire>(Time{static_cast<std::int64_t>(random() >> 12)}, hold);
  for (auto _ : state) engine.step();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(schedule_and_fire)->Arg(1000)->Arg(1'000'000);

// Flows that each cross two of 1,000 links; one ends, one starts.
void start_and_finish_flow(benchmark::State& state) {
  Engine engine;
  ActivityNetwork network(engine, std::vector<double>(1000, 1e9));
  struct Flow {
    ActivityNetwork* network;
    std::vector<Load> loads;
    std::uint32_t state = 1;
    void again(std::uint64_t) {
      state = state * 1664525u + 1013904223u;
      const std::uint32_t link = (state >> 8) % 999;
      loads = {{link, 1}, {link + 1, 1}};
      network->start<&Flow::again>({.work = 1e3 + (state & 1023), .loads = loads}, *this);
    }
  };
  std::vector<Flow> flows(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].network = &network;
    flows[i].state = static_cast<std::uint32_t>(i);
    flows[i].again(0);
  }
  for (auto _ : state) engine.step();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(start_and_finish_flow)->Arg(100)->Arg(1000);

}  // namespace
