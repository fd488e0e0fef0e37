#include "model/simulate/calls.h"

#include <algorithm>
#include <map>

#include "model/collective/prepare.h"
#include "model/collective/steps_run.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

class FluidRunner : public CollectiveRunner {
 public:
  FluidRunner(Engine& engine, ActivityNetwork& network, const FluidCollective& collective)
      : run_(engine, network), collective_(collective) {}
  void start(Engine::Action done, void* self, std::uint64_t argument) override {
    run_.start(collective_, done, self, argument);
  }

 private:
  FluidRun run_;
  const FluidCollective& collective_;
};

class ClosedRunner : public CollectiveRunner {
 public:
  ClosedRunner(Engine& engine, double seconds) : engine_(engine), seconds_(seconds) {}
  void start(Engine::Action done, void* self, std::uint64_t argument) override {
    engine_.schedule(engine_.now() + Time::from_seconds(seconds_), done, self, argument);
  }

 private:
  Engine& engine_;
  double seconds_;
};

class StepsRunner : public CollectiveRunner {
 public:
  StepsRunner(Engine& engine, ActivityNetwork& network, const Call& call,
              const LinkResources& resources, const std::vector<std::size_t>& index, double launch)
      : call_(call), launch_(launch) {
    for (std::size_t group = 0; group < call.plan->schedules.size(); ++group)
      runs_.push_back(std::make_unique<StepsRun>(engine, network, call.plan->schedules[group],
                                                 resources, index[group]));
  }
  void start(Engine::Action done, void* self, std::uint64_t argument) override {
    done_ = done;
    self_ = self;
    argument_ = argument;
    running_ = runs_.size();
    for (std::size_t group = 0; group < runs_.size(); ++group)
      runs_[group]->start(
          call_.granularity[group], call_.cost[group], call_.rates[group], launch_,
          [](void* runner, std::uint64_t) { static_cast<StepsRunner*>(runner)->group_done(); },
          this, 0);
  }

 private:
  void group_done() {
    if (--running_ == 0) done_(self_, argument_);
  }
  const Call& call_;
  double launch_;
  std::vector<std::unique_ptr<StepsRun>> runs_;
  std::size_t running_ = 0;
  Engine::Action done_ = nullptr;
  void* self_ = nullptr;
  std::uint64_t argument_ = 0;
};

DataType type_of(const CollectiveCall& call) {
  return call.element_bytes == 2 ? DataType::bfloat16 : DataType::float32;
}

}  // namespace

Calls::Calls(const Workload& workload, Plans& plans, const CollectiveConstants& constants,
             Fidelity fidelity, std::string_view algorithm)
    : workload_(workload), constants_(constants), fidelity_(fidelity) {
  std::map<const Plan*, std::uint32_t> offsets;
  std::map<const Plan*, std::vector<std::size_t>> indices;
  std::vector<const Schedule*> all;
  for (const CollectiveCall& request : workload.collectives) {
    Call call;
    const auto& groups = workload.families[request.family.index()].groups;
    const Plans::Chosen chosen = plans.chosen(groups.front(), request.op, request.bytes,
                                              type_of(request), algorithm);
    call.algorithm = chosen.algorithm;
    call.protocol = chosen.protocol;
    call.plan = &plans.plan(groups, request.op, *call.algorithm);
    const auto [offset, added] =
        offsets.try_emplace(call.plan, static_cast<std::uint32_t>(capacities_.size()));
    if (added) {
      // Collectives of one program run on one stream, one after the other: plans need not share
      // links.
      if (fidelity != Fidelity::steps) {
        const auto own = call.plan->resources->capacities(constants);
        capacities_.insert(capacities_.end(), own.begin(), own.end());
      }
      for (const Schedule& schedule : call.plan->schedules) {
        indices[call.plan].push_back(all.size());
        all.push_back(&schedule);
      }
    }
    call.first_resource = fidelity == Fidelity::steps ? 0 : offset->second;
    call.fluid.launch_seconds = constants.gpu.launch;
    for (std::size_t group = 0; group < call.plan->schedules.size(); ++group) {
      const Schedule& schedule = call.plan->schedules[group];
      const Granularity g = granularity(schedule, request.bytes, chosen.protocol, chosen.limits);
      const StepCost cost = step_cost(schedule, g, chosen.protocol, constants, request.op,
                                      g.channels / chosen.graph_channels);
      call.granularity.push_back(g);
      call.cost.push_back(cost);
      call.channels = std::max(call.channels, g.channels);
      const LinkResources& links = *call.plan->resources;
      if (fidelity == Fidelity::steps)
        call.rates.push_back(
            alone_rates(schedule, g, cost, links, group, links.capacities(constants)));
      else
        prepare_fluid(schedule, links, group, g, cost,
                      std::span(capacities_).subspan(call.first_resource, links.size()),
                      call.first_resource, call.fluid);
    }
    // The groups of a family run side by side.
    call.fluid.stage_ends.clear();
    call.fluid.end_stage();
    unfolded_index_.push_back(indices[call.plan]);
    calls_.push_back(std::move(call));
  }
  if (fidelity == Fidelity::steps) {
    unfolded_ = std::make_unique<LinkResources>(plans.topology(), all, false);
    capacities_ = unfolded_->capacities(constants);
  }
}

std::vector<double> Calls::held_sms() const {
  std::vector<double> result;
  for (const Call& call : calls_) result.push_back(call.channels);
  return result;
}

// A rank sends on its outgoing connections; memory_traffic bytes of HBM traffic per byte sent. A
// class stands for all its ranks, so its one memory carries their mean.
void Calls::load_memory(const ExecutionSetup& setup) {
  if (fidelity_ != Fidelity::fluid) return;
  std::vector<std::int32_t> class_of_rank;
  for (std::size_t c = 0; c < workload_.classes.size(); ++c)
    for (const std::uint32_t rank : workload_.classes[c].ranks) {
      if (rank >= class_of_rank.size()) class_of_rank.resize(rank + 1, -1);
      class_of_rank[rank] = static_cast<std::int32_t>(c);
    }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Call& call = calls_[i];
    const auto& groups = workload_.families[workload_.collectives[i].family.index()].groups;
    std::size_t channel_index = 0;
    for (std::size_t group = 0; group < call.plan->schedules.size(); ++group) {
      const Schedule& schedule = call.plan->schedules[group];
      if (schedule.connections.empty()) continue;
      for (std::uint32_t channel = 0; channel < call.granularity[group].channels;
           ++channel, ++channel_index) {
        std::vector<double> sends(workload_.classes.size(), 0);
        for (auto c = schedule.first_connection[channel];
             c < schedule.first_connection[channel + 1]; ++c) {
          const std::uint32_t rank =
              groups[group][schedule.workers[schedule.connections[c].from_worker].rank];
          sends[static_cast<std::size_t>(class_of_rank[rank])] += 1;
        }
        for (std::size_t c = 0; c < sends.size(); ++c)
          if (sends[c] > 0)
            call.fluid.activities[channel_index].loads.push_back(
                {setup.hbm(c), constants_.gpu.memory_traffic * sends[c] /
                                   static_cast<double>(workload_.classes[c].ranks.size())});
      }
    }
  }
}

RunnerFactory Calls::runner() const {
  return [this](Engine& engine, ActivityNetwork& network,
                std::uint32_t index) -> std::unique_ptr<CollectiveRunner> {
    const Call& call = calls_[index];
    switch (fidelity_) {
      case Fidelity::fluid:
        return std::make_unique<FluidRunner>(engine, network, call.fluid);
      case Fidelity::closed:
        return std::make_unique<ClosedRunner>(engine, closed_seconds(call.fluid));
      case Fidelity::steps:
        break;
    }
    return std::make_unique<StepsRunner>(engine, network, call, *unfolded_, unfolded_index_[index],
                                         constants_.gpu.launch);
  };
}

}  // namespace dsim
