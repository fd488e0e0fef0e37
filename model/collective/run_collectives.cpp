#include "model/collective/run_collectives.h"

#include <algorithm>
#include <memory>

#include "model/collective/fluid_run.h"
#include "model/collective/prepare.h"
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

// Notes when each request ends.
struct Clock {
  const Engine* engine;
  std::vector<Time> ends;
  void note(std::uint64_t request) { ends[request] = engine->now(); }
  static void note_end(void* self, std::uint64_t request) {
    static_cast<Clock*>(self)->note(request);
  }
};

// Starts a request when its time has come.
struct Starter {
  const CollectiveRequest* request;
  const Schedule* schedule;
  const CollectiveConstants* constants;
  FluidCollective fluid;
  std::unique_ptr<FluidRun> fluid_run;
  std::unique_ptr<StepsRun> steps_run;
  Engine* engine;
  Clock* clock;
  bool closed;
  void go(std::uint64_t index) {
    if (closed) {
      engine->schedule(engine->now() + Time::from_seconds(closed_seconds(fluid)), Clock::note_end,
                       clock, index);
    } else if (steps_run) {
      const Granularity g = granularity(*schedule, request->size);
      steps_run->start(g, step_cost(*schedule, g, *constants), constants->launch, Clock::note_end,
                       clock, index);
    } else {
      fluid_run->start(fluid, Clock::note_end, clock, index);
    }
  }
};

}  // namespace

std::vector<CollectiveResult> run_collectives(std::span<const CollectiveRequest> requests,
                                              const CollectiveConstants& constants,
                                              Fidelity fidelity) {
  if (requests.empty()) return {};
  std::vector<Schedule> schedules;
  std::vector<NcclGraphs> graphs;
  graphs.reserve(requests.size());
  for (const CollectiveRequest& request : requests) {
    graphs.push_back(find_nccl_graphs(*request.communicator, {}));
    require(request.algorithm->supports(request.op), "the algorithm does not run this collective");
    Schedule schedule = request.algorithm->plan({.communicator = request.communicator,
                                                 .op = request.op,
                                                 .size = request.size,
                                                 .nccl = &graphs.back()});
    if (request.channels > 0) schedule.channels = std::min(schedule.channels, request.channels);
    schedules.push_back(std::move(schedule));
  }
  std::vector<const Schedule*> pointers;
  for (const Schedule& schedule : schedules) pointers.push_back(&schedule);
  const LinkResources resources(*requests[0].communicator->topology, pointers,
                                fidelity != Fidelity::steps);
  const std::vector<double> capacities = resources.capacities(constants);

  Engine engine;
  ActivityNetwork network(engine, capacities);
  Clock clock{&engine, std::vector<Time>(requests.size())};
  std::vector<Starter> starters(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Starter& s = starters[i];
    s.request = &requests[i];
    s.schedule = &schedules[i];
    s.constants = &constants;
    s.engine = &engine;
    s.clock = &clock;
    s.closed = fidelity == Fidelity::closed;
    if (fidelity == Fidelity::steps) {
      s.steps_run = std::make_unique<StepsRun>(engine, network, schedules[i], resources, i);
    } else {
      s.fluid = prepare_fluid(schedules[i], resources, i, requests[i].size, constants, capacities);
      s.fluid_run = std::make_unique<FluidRun>(engine, network);
    }
    engine.schedule<&Starter::go>(requests[i].start, s, i);
  }
  engine.run();

  std::vector<CollectiveResult> results;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    require(clock.ends[i] > requests[i].start, "a collective waits for ever");
    results.push_back({(clock.ends[i] - requests[i].start).seconds(),
                       granularity(schedules[i], requests[i].size).channels,
                       starters[i].steps_run ? starters[i].steps_run->messages() : 0});
  }
  return results;
}

}  // namespace dsim
