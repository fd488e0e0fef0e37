#include "model/simulate/executor.h"

#include <algorithm>
#include <memory>

#include "model/workload/host_wait.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

// A kernel's progress is counted in bytes at this rate, so that its share of a resource is weighed
// like one channel of a collective that moves at a CTA's usual rate (about 20 GB/s, V100 to B200):
// beside such a channel both slow down alike, beside a slow network the kernel keeps the rest.
constexpr double kernel_rate = 20e9;

struct Dependents {
  std::vector<std::uint32_t> first, list;  // tasks that wait for a task
};

Dependents invert(const Program& program) {
  Dependents d;
  d.first.assign(program.tasks.size() + 1, 0);
  for (const TaskId id : program.dependencies) ++d.first[id.index() + 1];
  for (std::size_t i = 1; i < d.first.size(); ++i) d.first[i] += d.first[i - 1];
  d.list.resize(program.dependencies.size());
  auto fill = d.first;
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const Task& task = program.tasks[t];
    for (std::uint32_t i = 0; i < task.dependency_count; ++i)
      d.list[fill[program.dependencies[task.first_dependency + i].index()]++] = t;
  }
  return d;
}

class Executor {
 public:
  explicit Executor(const ExecutionSetup& setup)
      : setup_(setup), workload_(*setup.workload), network_(engine_, capacities(setup)) {
    for (const Program& program : workload_.programs) dependents_.push_back(invert(program));
    for (std::uint32_t c = 0; c < workload_.classes.size(); ++c) add_class(c);
    calls_.resize(workload_.collectives.size());
    std::vector<std::uint32_t> expected;
    for (const GroupFamily& family : workload_.families)
      expected.push_back(classes_in(family));
    for (std::size_t i = 0; i < calls_.size(); ++i)
      calls_[i].expected = expected[workload_.collectives[i].family.index()];
  }

  Execution run() {
    for (std::uint32_t c = 0; c < classes_.size(); ++c) begin_iteration(c);
    Execution result;
    for (std::uint64_t n = 0; engine_.step(); ++n)
      if (n % 4096 == 0 && setup_.stop.stop_requested()) {
        result.stopped = true;
        return result;
      }
    for (ClassState& c : classes_) {
      require(c.iteration == setup_.iterations,
              "a rank waits for ever: the workload has a deadlock");
      result.classes.push_back(std::move(c.result));
    }
    result.events = engine_.fired();
    return result;
  }

 private:
  struct StreamState {
    std::vector<std::uint32_t> queue;  // tasks in order
    std::size_t head = 0;
    bool busy = false;
    EventId wake;
    Time free_at;
    std::int64_t last = -1;  // the task that ran before on this stream
    Load loads[2];
  };
  struct ClassState {
    const Program* program = nullptr;
    const Dependents* dependents = nullptr;
    double speed = 1;
    std::vector<StreamState> streams;
    std::vector<std::uint32_t> missing;  // dependencies still running
    std::vector<std::int64_t> latest;    // the dependency that ended last
    std::size_t unfinished = 0;
    int iteration = 0;
    Time host;  // when the host is free
    std::uint32_t issued = 0;  // tasks the host has issued
    ClassExecution result;
  };
  struct CallState {
    std::uint32_t expected = 0, arrived = 0;
    std::vector<std::uint32_t> members;  // classes that have arrived
    std::unique_ptr<CollectiveRunner> runner;
    std::unique_ptr<CollectiveRunner> previous;  // its frames may still be on the stack
  };

  static std::vector<double> capacities(const ExecutionSetup& setup) {
    std::vector<double> result = setup.link_capacities;
    for (std::size_t c = 0; c < setup.workload->classes.size(); ++c) {
      result.push_back(setup.sms);
      result.push_back(setup.hbm_bandwidth);
    }
    return result;
  }

  void add_class(std::uint32_t index) {
    const RankClass& rank_class = workload_.classes[index];
    ClassState& c = classes_.emplace_back();
    c.program = &workload_.programs[rank_class.program];
    c.dependents = &dependents_[rank_class.program];
    c.speed = rank_class.speed;
    c.streams.resize(c.program->streams.size());
    for (std::uint32_t t = 0; t < c.program->tasks.size(); ++t)
      c.streams[c.program->tasks[t].stream].queue.push_back(t);
    c.result.tasks.resize(c.program->tasks.size());
  }

  // Classes with a member in some group of the family.
  std::uint32_t classes_in(const GroupFamily& family) const {
    std::vector<char> in_family;
    for (const auto& group : family.groups)
      for (const std::uint32_t rank : group) {
        if (rank >= in_family.size()) in_family.resize(rank + 1, 0);
        in_family[rank] = 1;
      }
    std::uint32_t count = 0;
    for (const RankClass& c : workload_.classes)
      count += std::any_of(c.ranks.begin(), c.ranks.end(),
                           [&](std::uint32_t r) { return r < in_family.size() && in_family[r]; });
    return count;
  }

  // The host runs ahead of the GPU, also from step to step, except where it waits for a task.
  void begin_iteration(std::uint32_t index) {
    ClassState& c = classes_[index];
    const Program& program = *c.program;
    c.result.begin = c.result.end;
    c.result.host_begin = c.host;
    c.missing.resize(program.tasks.size());
    c.latest.assign(program.tasks.size(), -1);
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t)
      c.missing[t] = program.tasks[t].dependency_count;
    c.issued = 0;
    issue(c);
    c.unfinished = program.tasks.size();
    for (auto& stream : c.streams) {
      stream.head = 0;
      stream.last = -1;
    }
    if (c.unfinished == 0) return end_iteration(index);
    for (std::uint8_t s = 0; s < c.streams.size(); ++s) start_ready(index, s);
  }

  // Issues what follows, up to a task for which the host waits.
  void issue(ClassState& c) {
    const Program& program = *c.program;
    while (c.issued < program.tasks.size()) {
      const std::uint32_t t = c.issued++;
      const Task& task = program.tasks[t];
      c.host += Time::from_seconds(static_cast<double>(task.host_seconds));
      c.result.tasks[t] = {};
      c.result.tasks[t].issued = c.host;
      // The host goes on to issue what is left out while the GPU runs it.
      if (task.kind == TaskKind::fast_forward)
        c.host += task.count * (c.result.tasks[task.to.index()].issued -
                                c.result.tasks[task.from.index()].issued);
      if (host_waits(task)) break;
    }
    c.result.host_end = c.host;
  }

  void end_iteration(std::uint32_t index) {
    ClassState& c = classes_[index];
    c.result.end = c.streams[compute_stream].free_at;
    if (++c.iteration < setup_.iterations) begin_iteration(index);
  }

  // Starts the head of a stream, and what follows if the head takes no time.
  void start_ready(std::uint32_t index, std::uint8_t s) {
    for (;;) {
      ClassState& c = classes_[index];
      StreamState& stream = c.streams[s];
      if (stream.busy || stream.head == stream.queue.size()) return;
      const std::uint32_t t = stream.queue[stream.head];
      if (c.missing[t] > 0 || t >= c.issued) return;
      TaskRecord& record = c.result.tasks[t];
      const Task& task = c.program->tasks[t];
      const Time earliest = task.kind == TaskKind::join
                                ? record.issued
                                : record.issued + Time::from_seconds(setup_.launch_latency);
      if (engine_.now() < earliest) {
        engine_.cancel(stream.wake);
        stream.wake = engine_.schedule<&Executor::wake>(earliest, *this, pack(index, s));
        return;
      }
      explain_start(c, stream, t, earliest);
      stream.busy = true;
      ++stream.head;
      record.start = record.data_start = engine_.now();
      if (!begin(index, s, t)) return;
      finish(index, s, t);
    }
  }

  // The last thing the task waited for.
  void explain_start(ClassState& c, const StreamState& stream, std::uint32_t t, Time earliest) {
    TaskRecord& record = c.result.tasks[t];
    const std::int64_t dependency = c.latest[t];
    const Time depended =
        dependency >= 0 ? c.result.tasks[static_cast<std::size_t>(dependency)].end : Time{};
    record.release = Release::start;
    if (stream.last >= 0) {
      record.release = Release::stream_order;
      record.released_by = TaskId{static_cast<std::uint32_t>(stream.last)};
    } else if (c.iteration > 0) {
      record.release = Release::stream_order;
    }
    if (dependency >= 0 && depended > stream.free_at) {
      record.release = Release::dependency;
      record.released_by = TaskId{static_cast<std::uint32_t>(dependency)};
    }
    if (earliest >= engine_.now() && earliest > stream.free_at &&
        (dependency < 0 || earliest > depended)) {
      record.release = Release::launch;
      record.released_by = TaskId{};
    }
  }

  // Begins a task; true if it has ended already.
  bool begin(std::uint32_t index, std::uint8_t s, std::uint32_t t) {
    ClassState& c = classes_[index];
    const Task& task = c.program->tasks[t];
    switch (task.kind) {
      case TaskKind::kernel: {
        const double seconds = task.seconds / c.speed;
        if (seconds <= 0) return true;
        StreamState& stream = c.streams[s];
        std::size_t loads = 0;
        if (task.sm_share > 0)
          stream.loads[loads++] = {setup_.sm(index), task.sm_share * setup_.sms / kernel_rate};
        if (task.hbm_bytes > 0)
          stream.loads[loads++] = {setup_.hbm(index), task.hbm_bytes / seconds / kernel_rate};
        network_.start<&Executor::task_done>({.work = seconds * kernel_rate,
                                              .cap = kernel_rate,
                                              .weight = 1,
                                              .loads = std::span(stream.loads, loads)},
                                             *this, pack(index, s));
        return false;
      }
      case TaskKind::delay:
        engine_.schedule<&Executor::task_done>(engine_.now() + Time::from_seconds(task.seconds),
                                               *this, pack(index, s));
        return false;
      case TaskKind::fast_forward: {
        const Time period =
            c.result.tasks[task.to.index()].end - c.result.tasks[task.from.index()].end;
        engine_.schedule<&Executor::task_done>(engine_.now() + task.count * period, *this,
                                               pack(index, s));
        return false;
      }
      case TaskKind::collective:
        arrive(index, task.collective);
        return false;
      case TaskKind::join:
        return true;
    }
    return true;
  }

  void arrive(std::uint32_t index, std::uint32_t call) {
    CallState& state = calls_[call];
    state.members.push_back(index);
    // Kernels of a collective wait on their SMs. Receives from another stage are posted long before
    // they are sent, and a framework launches them when they are due: they hold SMs as they move.
    const bool posted = workload_.collectives[call].op == CollectiveOp::sendrecv;
    if (!posted) network_.hold(ResourceId{setup_.sm(index)}, setup_.held_sms[call]);
    if (++state.arrived < state.expected) return;
    for (const std::uint32_t member : state.members) {
      if (posted) network_.hold(ResourceId{setup_.sm(member)}, setup_.held_sms[call]);
      ClassState& c = classes_[member];
      c.result.tasks[running(c, communication_of(c, call))].data_start = engine_.now();
    }
    state.previous = std::move(state.runner);
    state.runner = setup_.runner(engine_, network_, call);
    state.runner->start(
        [](void* self, std::uint64_t which) {
          static_cast<Executor*>(self)->collective_done(which);
        },
        this, call);
  }

  void collective_done(std::uint64_t call) {
    CallState& state = calls_[call];
    const std::vector<std::uint32_t> members = std::move(state.members);
    state.members.clear();
    state.arrived = 0;
    for (const std::uint32_t member : members)
      network_.release(ResourceId{setup_.sm(member)}, setup_.held_sms[call]);
    for (const std::uint32_t member : members)
      task_done(pack(member, communication_of(classes_[member], static_cast<std::uint32_t>(call))));
  }

  // The stream on which a class runs a call right now.
  static std::uint8_t communication_of(const ClassState& c, std::uint32_t call) {
    for (std::uint8_t s = 0; s < c.streams.size(); ++s) {
      if (!c.streams[s].busy) continue;
      const Task& task = c.program->tasks[running(c, s)];
      if (task.kind == TaskKind::collective && task.collective == call) return s;
    }
    require(false, "a collective ended that no stream runs");
    return 0;
  }

  static std::uint32_t running(const ClassState& c, std::uint8_t s) {
    return c.streams[s].queue[c.streams[s].head - 1];
  }

  void wake(std::uint64_t packed) {
    start_ready(static_cast<std::uint32_t>(packed >> 8), packed & 255);
  }

  void task_done(std::uint64_t packed) {
    const auto index = static_cast<std::uint32_t>(packed >> 8);
    const auto s = static_cast<std::uint8_t>(packed & 255);
    finish(index, s, running(classes_[index], s));
    start_ready(index, s);
  }

  // Ends a task and starts what waited for it on other streams.
  void finish(std::uint32_t index, std::uint8_t s, std::uint32_t t) {
    ClassState& c = classes_[index];
    StreamState& stream = c.streams[s];
    c.result.tasks[t].end = engine_.now();
    stream.busy = false;
    stream.free_at = engine_.now();
    stream.last = t;
    if (--c.unfinished == 0) return end_iteration(index);
    const bool host_waited = host_waits(c.program->tasks[t]);
    if (host_waited) {
      c.host = std::max(c.host, engine_.now());
      issue(c);
    }
    const Dependents& d = *c.dependents;
    for (std::uint32_t i = d.first[t]; i < d.first[t + 1]; ++i) {
      const std::uint32_t waiting = d.list[i];
      c.latest[waiting] = t;
      if (--c.missing[waiting] == 0 && c.program->tasks[waiting].stream != s)
        start_ready(index, c.program->tasks[waiting].stream);
    }
    if (!host_waited) return;
    for (std::uint8_t other = 0; other < c.streams.size(); ++other)
      if (other != s) start_ready(index, other);
  }

  static std::uint64_t pack(std::uint32_t index, std::uint8_t stream) {
    return std::uint64_t{index} << 8 | stream;
  }

  const ExecutionSetup& setup_;
  const Workload& workload_;
  Engine engine_;
  ActivityNetwork network_;
  std::vector<Dependents> dependents_;
  std::vector<ClassState> classes_;
  std::vector<CallState> calls_;
};

}  // namespace

Execution execute(const ExecutionSetup& setup) { return Executor(setup).run(); }

}  // namespace dsim
