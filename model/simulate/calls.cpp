#include "model/simulate/calls.h"

#include <algorithm>
#include <map>
#include <tuple>

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
              const LinkResources& resources, std::size_t first, double launch)
      : call_(call), launch_(launch) {
    for (std::size_t group = 0; group < call.plan->schedules.size(); ++group)
      runs_.push_back(std::make_unique<StepsRun>(engine, network, call.plan->schedules[group],
                                                 resources, first + group));
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

/// Whether some rank has collectives on more than one stream, so that they can meet on links.
bool can_meet(const Workload& workload) {
  for (const Program& program : workload.programs) {
    int stream = -1;
    for (const Task& task : program.tasks) {
      if (task.kind != TaskKind::collective) continue;
      if (stream >= 0 && stream != task.stream) return true;
      stream = task.stream;
    }
  }
  return false;
}

}  // namespace

Calls::Calls(const Workload& workload, Plans& plans, const CollectiveConstants& constants,
             Fidelity fidelity, std::string_view algorithm)
    : workload_(workload), constants_(constants), fidelity_(fidelity) {
  std::map<std::tuple<CollectiveOp, std::uint32_t, std::int64_t, int, CallBackend>, std::size_t>
      known;
  for (std::size_t i = 0; i < workload.collectives.size(); ++i) {
    const CollectiveCall& request = workload.collectives[i];
    const auto [entry, added] =
        known.try_emplace({request.op, request.family.value, request.bytes.count,
                           request.element_bytes, request.backend},
                          prepared_.size());
    index_.push_back(entry->second);
    if (!added) continue;
    first_use_.push_back(i);
    prepared_.push_back(choose(request, plans, algorithm));
  }
  place(plans);
}

Call Calls::choose(const CollectiveCall& request, Plans& plans, std::string_view algorithm) {
  Call call;
  const auto& family = workload_.families[request.family.index()].groups;
  call.groups = plans.representatives(family);
  const bool in_channels = request.op == CollectiveOp::all_reduce ||
                           request.op == CollectiveOp::all_gather ||
                           request.op == CollectiveOp::reduce_scatter ||
                           request.op == CollectiveOp::broadcast ||
                           request.op == CollectiveOp::reduce ||
                           (request.op == CollectiveOp::sendrecv && family.front().size() == 2);
  Plans::Chosen chosen;
  if (in_channels && request.backend == CallBackend::nccl) {
    chosen = plans.chosen(call.groups.front(), request.op, request.bytes, type_of(request),
                          algorithm);
    call.algorithm = chosen.algorithm->name;
    call.protocol = chosen.protocol;
    if (!chosen.algorithm->by_size) {
      call.plan = &plans.plan(call.groups, request.op, *chosen.algorithm);
      if (!call.plan->resources) call.plan = nullptr;
    }
  }
  chosen_.push_back(chosen);
  if (call.plan != nullptr) return call;
  const bool forced = chosen.algorithm != nullptr && !algorithm.empty();
  const Plans::Alone alone =
      plans.alone(call.groups, request, forced ? call.algorithm : std::string(), constants_);
  call.alone_seconds = alone.seconds;
  call.algorithm = alone.algorithm;
  call.channels = request.backend == CallBackend::nccl ? alone.channels : 0;
  return call;
}

/// Gives every plan its links. Collectives of one stream run one after the other: then plans need
/// not share links, which folds them further.
void Calls::place(Plans& plans) {
  std::vector<const Plan*> distinct;
  std::vector<const Schedule*> all;
  for (const Call& call : prepared_) {
    if (call.plan == nullptr || !first_schedule_.try_emplace(call.plan, all.size()).second)
      continue;
    distinct.push_back(call.plan);
    for (const Schedule& schedule : call.plan->schedules) all.push_back(&schedule);
  }
  if (fidelity_ == Fidelity::steps) {
    unfolded_ = std::make_unique<LinkResources>(plans.topology(), all, false);
    capacities_ = unfolded_->capacities(constants_);
  }
  const bool shared = fidelity_ == Fidelity::fluid && distinct.size() > 1 && can_meet(workload_);
  const LinkResources* together = shared ? &plans.together(distinct) : nullptr;
  if (shared) capacities_ = together->capacities(constants_);
  std::map<const Plan*, std::uint32_t> offsets;
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    Call& call = prepared_[i];
    if (call.plan == nullptr) continue;
    const CollectiveCall& request = workload_.collectives[first_use_[i]];
    std::uint32_t first_resource = 0;
    if (!shared && fidelity_ != Fidelity::steps) {
      const auto [offset, added] =
          offsets.try_emplace(call.plan, static_cast<std::uint32_t>(capacities_.size()));
      first_resource = offset->second;
      if (added) {
        const auto own = call.plan->resources->capacities(constants_);
        capacities_.insert(capacities_.end(), own.begin(), own.end());
      }
    }
    call.fluid.launch_seconds = constants_.gpu.launch;
    const Plans::Chosen& chosen = chosen_[i];
    const LinkResources& links = shared ? *together : *call.plan->resources;
    const std::size_t first = shared ? first_schedule_[call.plan] : 0;
    for (std::size_t group = 0; group < call.plan->schedules.size(); ++group) {
      const Schedule& schedule = call.plan->schedules[group];
      const Granularity g = granularity(schedule, request.bytes, chosen.protocol, chosen.limits);
      const StepCost cost = step_cost(schedule, g, chosen.protocol, constants_, request.op,
                                      g.channels / chosen.graph_channels);
      call.granularity.push_back(g);
      call.cost.push_back(cost);
      call.channels = std::max(call.channels, g.channels);
      if (fidelity_ == Fidelity::steps)
        call.rates.push_back(
            alone_rates(schedule, g, cost, links, group, links.capacities(constants_)));
      else
        prepare_fluid(schedule, links, first + group, g, cost,
                      std::span(capacities_).subspan(first_resource, links.size()),
                      first_resource, call.fluid);
    }
    // The groups of a family run side by side.
    call.fluid.stage_ends.clear();
    call.fluid.end_stage();
  }
}

std::vector<double> Calls::held_sms() const {
  std::vector<double> result;
  for (const std::size_t i : index_) result.push_back(prepared_[i].channels);
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
  for (Call& call : prepared_) {
    if (call.plan == nullptr) continue;
    const auto& groups = call.groups;
    std::vector<double> members(workload_.classes.size(), 0);
    for (const auto& group : groups)
      for (const std::uint32_t rank : group)
        members[static_cast<std::size_t>(class_of_rank[rank])] += 1;
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
                {setup.hbm(c), constants_.gpu.memory_traffic * sends[c] / members[c]});
      }
    }
  }
}

RunnerFactory Calls::runner() const {
  return [this](Engine& engine, ActivityNetwork& network,
                std::uint32_t index) -> std::unique_ptr<CollectiveRunner> {
    const Call& call = this->call(index);
    if (call.plan == nullptr) return std::make_unique<ClosedRunner>(engine, call.alone_seconds);
    switch (fidelity_) {
      case Fidelity::fluid:
        return std::make_unique<FluidRunner>(engine, network, call.fluid);
      case Fidelity::closed:
        return std::make_unique<ClosedRunner>(engine, closed_seconds(call.fluid));
      case Fidelity::steps:
        break;
    }
    return std::make_unique<StepsRunner>(engine, network, call, *unfolded_,
                                         first_schedule_.at(call.plan), constants_.gpu.launch);
  };
}

}  // namespace dsim
