#include "model/simulate/block_timer.h"

#include <array>

#include "model/simulate/calls.h"
#include "model/strategy/kernel_tasks.h"

namespace dsim {

namespace {

constexpr std::size_t group_kinds = 4;  // of ParallelGroup

GroupFamily groups_of(const RankGrid& grid, ParallelGroup group, std::uint32_t stage) {
  switch (group) {
    case ParallelGroup::tensor:
      return grid.tensor_groups(stage);
    case ParallelGroup::context:
      return grid.context_groups(stage);
    case ParallelGroup::expert:
      return grid.expert_groups(stage);
    case ParallelGroup::expert_tensor:
      return grid.expert_tensor_groups(stage);
  }
  return {};
}

/// The block as the program of one rank class: communications on a stream of their group.
class BlockProgram {
 public:
  BlockProgram(KernelTasks& tasks, const RankGrid& grid, std::uint32_t stage)
      : tasks_(tasks), grid_(grid), stage_(stage) {}

  Workload write(std::span<const Kernel> kernels, Phase phase) {
    for (const Kernel& kernel : kernels) {
      if (kernel.kind == KernelKind::communication)
        communicate(kernel, phase);
      else
        compute(kernel, phase);
    }
    Task end;
    end.kind = TaskKind::join;
    end.stream = compute_stream;
    for (Pending& pending : pending_) waits_.push_back(pending.task);
    program_.add(end, waits_);
    workload_.programs.push_back(std::move(program_));
    workload_.classes.push_back({"all", grid_.stage(stage_), 0, 1});
    return std::move(workload_);
  }

 private:
  struct Pending {
    TaskId task;
    int kernels_left = 0;
  };

  void compute(const Kernel& kernel, Phase phase) {
    for (std::size_t i = 0; i < pending_.size();) {
      if (pending_[i].kernels_left-- > 0) {
        ++i;
        continue;
      }
      waits_.push_back(pending_[i].task);
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    last_ = program_.add(tasks_.task(kernel, phase), waits_);
    waits_.clear();
  }

  void communicate(const Kernel& kernel, Phase phase) {
    const auto kind = static_cast<std::size_t>(kernel.group);
    if (!families_[kind].valid()) {
      GroupFamily family = groups_of(grid_, kernel.group, stage_);
      if (family.groups.empty() || family.groups.front().size() < 2) return;
      families_[kind] = FamilyId{workload_.families.size()};
      workload_.families.push_back(std::move(family));
      streams_[kind] = static_cast<std::uint8_t>(program_.streams.size());
      program_.streams.emplace_back("groups");
    }
    Task task;
    task.kind = TaskKind::collective;
    task.phase = phase;
    task.stream = streams_[kind];
    task.collective = static_cast<std::uint32_t>(workload_.collectives.size());
    CollectiveCall call;
    call.op = kernel.op;
    call.family = families_[kind];
    call.bytes = Bytes{static_cast<std::int64_t>(kernel.bytes)};
    call.element_bytes = kernel.element_bytes;
    workload_.collectives.push_back(call);
    std::vector<TaskId> after = waits_;
    if (last_.valid()) after.push_back(last_);
    pending_.push_back({program_.add(task, after), kernel.hidden_behind});
  }

  KernelTasks& tasks_;
  const RankGrid& grid_;
  std::uint32_t stage_;
  Workload workload_;
  Program program_;
  std::array<FamilyId, group_kinds> families_;
  std::array<std::uint8_t, group_kinds> streams_{};
  std::vector<Pending> pending_;
  std::vector<TaskId> waits_;
  TaskId last_;
};

class Timer {
 public:
  Timer(const Scenario& scenario, const RankGrid& grid)
      : scenario_(scenario), grid_(grid),
        tasks_(scenario.request.precision, scenario.gpu, scenario.compute) {}

  BlockTime time(std::span<const Kernel> kernels, Phase phase, std::uint32_t stage) {
    BlockTime block;
    double weighted_share = 0;
    bool communicates = false;
    for (const Kernel& kernel : kernels) {
      if (kernel.kind == KernelKind::communication) {
        communicates = true;
        block.host_seconds += scenario_.host.collective_enqueue;
        continue;
      }
      const Task task = tasks_.task(kernel, phase);
      block.seconds += task.seconds;
      block.hbm_bytes += task.hbm_bytes;
      // Forward kernels that run again in backward are issued from Python.
      block.host_seconds +=
          kernel.launches * (kernel.pass == Pass::forward ? scenario_.host.forward_launch
                                                          : scenario_.host.backward_launch);
      weighted_share += task.seconds * task.sm_share;
    }
    const double busy = block.seconds;
    if (busy > 0) block.sm_share = weighted_share / busy;
    if (!communicates || scenario_.ranks < 2) return block;
    block.seconds = std::max(busy, run(kernels, phase, stage));
    block.communication_seconds = block.seconds - busy;
    return block;
  }

 private:
  double run(std::span<const Kernel> kernels, Phase phase, std::uint32_t stage) {
    const Workload workload = BlockProgram(tasks_, grid_, stage).write(kernels, phase);
    Calls calls(workload, *scenario_.plans, scenario_.collective, block_fidelity(),
                scenario_.algorithm);
    ExecutionSetup setup;
    setup.workload = &workload;
    setup.link_capacities = calls.link_capacities();
    setup.sms = scenario_.gpu.sms;
    setup.hbm_bandwidth = scenario_.gpu.hbm_bandwidth * scenario_.compute.memory_efficiency;
    setup.held_sms = calls.held_sms();
    setup.iterations = 1;
    calls.load_memory(setup);
    setup.runner = calls.runner();
    return execute(setup).classes.front().end.seconds();
  }

  /// Chunks of every collective of every layer would be no more exact than the whole is.
  Fidelity block_fidelity() const {
    return scenario_.fidelity == Fidelity::closed ? Fidelity::closed : Fidelity::fluid;
  }

  const Scenario& scenario_;
  const RankGrid& grid_;
  KernelTasks tasks_;
};

}  // namespace

BlockTimer block_timer(const Scenario& scenario, const RankGrid& grid) {
  return [timer = std::make_shared<Timer>(scenario, grid)](
             std::span<const Kernel> kernels, Phase phase, std::uint32_t stage) {
    return timer->time(kernels, phase, stage);
  };
}

}  // namespace dsim
