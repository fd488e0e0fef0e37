#include "model/collective/run_collectives.h"

#include <algorithm>
#include <memory>

#include "model/collective/prepare.h"
#include "model/collective/ring_recursion.h"
#include "model/collective/steps_run.h"
#include "sim/base/error.h"

namespace dsim {

std::string_view name_of(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::steps:
      return "steps";
    case Fidelity::fluid:
      return "fluid";
    case Fidelity::closed:
      return "closed";
  }
  return "";
}

namespace {

// Notes when each run ends.
struct Clock {
  const Engine* engine;
  std::vector<Time> ends;
  void note(std::uint64_t run) { ends[run] = engine->now(); }
  static void note_end(void* self, std::uint64_t run) { static_cast<Clock*>(self)->note(run); }
};

// A run made ready, and started when its time has come.
struct Starter {
  const CollectiveRun* run = nullptr;
  Granularity granularity;
  StepCost cost;
  std::vector<HopRates> rates;
  FluidCollective fluid;
  std::unique_ptr<FluidRun> fluid_run;
  std::unique_ptr<StepsRun> steps_run;
  Engine* engine = nullptr;
  Clock* clock = nullptr;
  void go(std::uint64_t index) {
    if (steps_run)
      steps_run->start(granularity, cost, rates, run->constants->gpu.launch, Clock::note_end, clock,
                       index);
    else if (fluid_run)
      fluid_run->start(fluid, Clock::note_end, clock, index);
    else
      engine->schedule(engine->now() + Time::from_seconds(closed_seconds(fluid)), Clock::note_end,
                       clock, index);
  }
};

}  // namespace

std::vector<CollectiveResult> run_collectives(const Topology& topology,
                                              std::span<const CollectiveRun> runs,
                                              Fidelity fidelity) {
  if (runs.empty()) return {};
  std::vector<const Schedule*> schedules;
  for (const CollectiveRun& run : runs) schedules.push_back(run.schedule);
  const LinkResources resources(topology, schedules, fidelity != Fidelity::steps);
  const std::vector<double> capacities = resources.capacities(*runs[0].constants);

  Engine engine;
  ActivityNetwork network(engine, capacities);
  Clock clock{&engine, std::vector<Time>(runs.size())};
  std::vector<Starter> starters(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const CollectiveRun& run = runs[i];
    const Schedule& schedule = *run.schedule;
    Starter& s = starters[i];
    s.run = &run;
    s.engine = &engine;
    s.clock = &clock;
    s.granularity = granularity(schedule, run.size, run.protocol, run.limits);
    s.cost = step_cost(schedule, s.granularity, run.protocol, *run.constants, run.op,
                       s.granularity.channels / run.graph_channels);
    if (fidelity == Fidelity::steps) {
      s.rates = alone_rates(schedule, s.granularity, s.cost, resources, i, capacities);
      if (runs.size() == 1 &&
          never_contended(schedule, s.granularity, s.cost, resources, i, capacities)) {
        const RingTimes times = ring_recursion(schedule, s.granularity, s.cost, s.rates);
        return {{std::max(run.constants->gpu.launch + times.end.seconds(), run.least_seconds),
                 s.granularity.channels, times.messages}};
      }
      s.steps_run = std::make_unique<StepsRun>(engine, network, schedule, resources, i);
    } else {
      s.fluid.launch_seconds = run.constants->gpu.launch;
      s.fluid.least_seconds = run.least_seconds;
      prepare_fluid(schedule, resources, i, s.granularity, s.cost, capacities, 0, s.fluid);
      if (fidelity == Fidelity::fluid) s.fluid_run = std::make_unique<FluidRun>(engine, network);
    }
    engine.schedule<&Starter::go>(run.start, s, i);
  }
  engine.run();

  std::vector<CollectiveResult> results;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    require(clock.ends[i] > runs[i].start, "a collective waits for ever");
    results.push_back(
        {std::max((clock.ends[i] - runs[i].start).seconds(), runs[i].least_seconds),
         starters[i].granularity.channels,
         starters[i].steps_run ? starters[i].steps_run->messages() : 0});
  }
  return results;
}

}  // namespace dsim
