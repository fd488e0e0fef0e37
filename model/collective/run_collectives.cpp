#include "model/collective/run_collectives.h"

#include <algorithm>
#include <memory>

#include "model/collective/prepare.h"
#include "model/collective/ring_recursion.h"
#include "model/collective/round_costs.h"
#include "model/collective/rounds_fluid.h"
#include "model/collective/rounds_run.h"
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

double launch_of(const CollectiveRun& run) { return launch_seconds(*run.schedule, *run.constants); }

// A run made ready, and started when its time has come.
struct Starter {
  const CollectiveRun* run = nullptr;
  Granularity granularity;
  StepCost cost;
  std::vector<HopRates> rates;
  FluidCollective fluid;
  std::unique_ptr<FluidRun> fluid_run;
  std::unique_ptr<StepsRun> steps_run;
  std::unique_ptr<RoundsRun> rounds_run;
  Engine* engine = nullptr;
  Clock* clock = nullptr;
  void go(std::uint64_t index) {
    if (steps_run)
      steps_run->start(granularity, cost, rates, launch_of(*run), Clock::note_end, clock, index);
    else if (rounds_run)
      rounds_run->start(run->size, run->round_cost, launch_of(*run), Clock::note_end, clock, index);
    else if (fluid_run)
      fluid_run->start(fluid, Clock::note_end, clock, index);
    else
      engine->schedule(engine->now() + Time::from_seconds(closed_seconds(fluid)), Clock::note_end,
                       clock, index);
  }
};

// What all runs load: the links of the channels' schedules as few resources, or every link by its
// id where messages of rounds are among them.
struct Resources {
  std::unique_ptr<LinkResources> links;  // of the schedules with channels
  std::vector<std::size_t> index;        // of a run's schedule among those
  bool by_id = false;
  std::vector<double> capacities;       // of the network's resources
  std::vector<double> link_capacities;  // of `links`
};

Resources resources_of(const Topology& topology, std::span<const CollectiveRun> runs,
                       Fidelity fidelity) {
  Resources all;
  std::vector<const Schedule*> schedules;
  for (const CollectiveRun& run : runs) {
    all.index.push_back(schedules.size());
    if (run.schedule->pattern == Pattern::rounds)
      all.by_id = true;
    else
      schedules.push_back(run.schedule);
  }
  const bool fold = fidelity != Fidelity::steps && !all.by_id;
  all.links = std::make_unique<LinkResources>(topology, schedules, fold);
  all.link_capacities = all.links->capacities(*runs[0].constants);
  if (!all.by_id) {
    all.capacities = all.link_capacities;
    return all;
  }
  for (std::size_t l = 0; l < topology.link_count(); ++l) {
    const Link link = topology.link(LinkId{l});
    all.capacities.push_back(link.bandwidth.bytes_per_second *
                             runs[0].constants->efficiency(link.kind));
  }
  return all;
}

void prepare_phases(const CollectiveRun& run, const Resources& all, const PathOf& paths,
                    FluidCollective& fluid) {
  const auto phases = plan_phases(*run.schedule, paths, all.capacities.size());
  for (ChannelActivity& a :
       price_phases(*run.schedule, phases, run.size, run.round_cost, all.capacities)) {
    for (const Load& load : a.loads)
      a.cap = std::min(a.cap, all.capacities[load.resource] / load.coefficient);
    fluid.activities.push_back(std::move(a));
    fluid.end_stage();
  }
}

}  // namespace

std::vector<CollectiveResult> run_collectives(const Topology& topology,
                                              std::span<const CollectiveRun> runs,
                                              Fidelity fidelity) {
  if (runs.empty()) return {};
  const Resources all = resources_of(topology, runs, fidelity);
  Engine engine;
  ActivityNetwork network(engine, all.capacities);
  Clock clock{&engine, std::vector<Time>(runs.size())};
  std::vector<Starter> starters(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const CollectiveRun& run = runs[i];
    const Schedule& schedule = *run.schedule;
    Starter& s = starters[i];
    s.run = &run;
    s.engine = &engine;
    s.clock = &clock;
    s.fluid.launch_seconds = launch_of(run);
    s.fluid.least_seconds = run.least_seconds;
    if (schedule.pattern == Pattern::rounds) {
      PathOf paths = paths_along_routes(*run.communicator);
      if (schedule.mechanics == Mechanics::host) paths = host_paths(std::move(paths));
      if (fidelity == Fidelity::steps)
        s.rounds_run = std::make_unique<RoundsRun>(engine, network, schedule, std::move(paths));
      else
        prepare_phases(run, all, paths, s.fluid);
    } else {
      s.granularity = granularity(schedule, run.size, run.protocol, run.limits);
      s.cost = step_cost(schedule, s.granularity, run.protocol, *run.constants, run.op,
                         s.granularity.channels / run.graph_channels);
      const std::size_t index = all.index[i];
      if (fidelity == Fidelity::steps) {
        s.rates =
            alone_rates(schedule, s.granularity, s.cost, *all.links, index, all.link_capacities);
        if (runs.size() == 1 && never_contended(schedule, s.granularity, s.cost, *all.links, index,
                                                all.link_capacities)) {
          const RingTimes times = ring_recursion(schedule, s.granularity, s.cost, s.rates);
          return {{std::max(run.constants->gpu.launch + times.end.seconds(), run.least_seconds),
                   s.granularity.channels, times.messages}};
        }
        s.steps_run =
            std::make_unique<StepsRun>(engine, network, schedule, *all.links, index, all.by_id);
      } else {
        prepare_fluid(schedule, *all.links, index, s.granularity, s.cost, all.link_capacities, 0,
                      s.fluid);
        if (all.by_id)
          for (ChannelActivity& a : s.fluid.activities)
            for (Load& load : a.loads) load.resource = all.links->sample(load.resource).value;
      }
    }
    if (fidelity == Fidelity::fluid) s.fluid_run = std::make_unique<FluidRun>(engine, network);
    engine.schedule<&Starter::go>(run.start, s, i);
  }
  engine.run();

  std::vector<CollectiveResult> results;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    require(clock.ends[i] > runs[i].start, "a collective waits for ever");
    const Starter& s = starters[i];
    results.push_back({std::max((clock.ends[i] - runs[i].start).seconds(), runs[i].least_seconds),
                       s.granularity.channels,
                       s.steps_run    ? s.steps_run->messages()
                       : s.rounds_run ? s.rounds_run->messages()
                                      : 0});
  }
  return results;
}

}  // namespace dsim
