#include "model/simulate/parts.h"

#include <algorithm>
#include <vector>

namespace dsim {

namespace {

StepParts operator-(StepParts a, const StepParts& b) {
  return {a.forward_s - b.forward_s,     a.backward_s - b.backward_s,
          a.optimizer_s - b.optimizer_s, a.exposed_communication_s - b.exposed_communication_s,
          a.bubble_s - b.bubble_s,       a.launch_s - b.launch_s,
          a.input_s - b.input_s,         a.wait_s - b.wait_s};
}

void add(StepParts& a, const StepParts& b, double times) {
  a.forward_s += times * b.forward_s;
  a.backward_s += times * b.backward_s;
  a.optimizer_s += times * b.optimizer_s;
  a.exposed_communication_s += times * b.exposed_communication_s;
  a.bubble_s += times * b.bubble_s;
  a.launch_s += times * b.launch_s;
  a.input_s += times * b.input_s;
  a.wait_s += times * b.wait_s;
}

double& part_of(StepParts& parts, Phase phase) {
  switch (phase) {
    case Phase::input:
      return parts.input_s;
    case Phase::forward:
      return parts.forward_s;
    case Phase::backward:
      return parts.backward_s;
    case Phase::optimizer:
      return parts.optimizer_s;
    case Phase::other:
      break;
  }
  return parts.launch_s;
}

class Divider {
 public:
  Divider(const Workload& workload, const Program& program, const ClassExecution& execution)
      : workload_(workload), program_(program), execution_(execution) {}

  StepParts run() {
    std::vector<StepParts> after(program_.tasks.size());  // totals at the end of each compute task
    Time cursor = execution_.begin;
    for (std::uint32_t t = 0; t < program_.tasks.size(); ++t) {
      const Task& task = program_.tasks[t];
      if (task.stream != compute_stream) continue;
      const TaskRecord& record = execution_.tasks[t];
      if (record.start > cursor) divide_gap(cursor, record.start, t);
      if (task.kind == TaskKind::fast_forward)
        add(total_, after[task.to.index()] - after[task.from.index()],
            static_cast<double>(task.count));
      else if (record.end > record.start)
        count_work(task, (record.end - record.start).seconds());
      cursor = std::max(cursor, record.end);
      after[t] = total_;
    }
    return total_;
  }

 private:
  /// A block's communication takes its share of the time that the block takes.
  void count_work(const Task& task, double seconds) {
    const double share = task.seconds > 0 ? task.communication_seconds / task.seconds : 0;
    part_of(total_, task.phase) += (1 - share) * seconds;
    total_.exposed_communication_s += share * seconds;
  }

  void divide_gap(Time begin, Time end, std::uint32_t t) {
    // The dependency that ended last decides until it ended; what remains is the host's.
    const Task& task = program_.tasks[t];
    Time depended = begin;
    std::int64_t last = -1;
    for (std::uint32_t i = 0; i < task.dependency_count; ++i) {
      const TaskId id = program_.dependencies[task.first_dependency + i];
      const Time finished = execution_.tasks[id.index()].end;
      if (finished > depended) depended = finished, last = id.value;
    }
    depended = std::min(depended, end);
    if (last >= 0) explain(begin, depended, static_cast<std::uint32_t>(last));
    if (end > depended) total_.launch_s += (end - depended).seconds();
  }

  // What went on in [begin, end] on the way to the end of task `t`, backwards along what released
  // what: input, waiting for other ranks, moving data, work on a bucket beside its collective (a
  // cast, a copy), or a host that had not come to it yet.
  void explain(Time begin, Time end, std::uint32_t t) {
    Time cursor = end;
    bool works_on_bucket = false;
    while (cursor > begin) {
      const Task& task = program_.tasks[t];
      const TaskRecord& r = execution_.tasks[t];
      if (task.stream == compute_stream) break;
      const auto within = [&](Time from, Time to) {
        const Time low = std::max(from, begin), high = std::min(to, cursor);
        return high > low ? (high - low).seconds() : 0.0;
      };
      if (task.stream == input_stream) {
        total_.input_s += within(r.start, r.end);
      } else if (task.kind == TaskKind::collective) {
        const bool between_stages =
            workload_.collectives[task.collective].op == CollectiveOp::sendrecv;
        (between_stages ? total_.bubble_s : total_.wait_s) += within(r.start, r.data_start);
        total_.exposed_communication_s += within(r.data_start, r.end);
        works_on_bucket |= task.bucket >= 0;
      } else {
        total_.exposed_communication_s += within(r.start, r.end);
        works_on_bucket |= task.bucket >= 0;
      }
      cursor = std::max(begin, std::min(cursor, r.start));
      if (!r.released_by.valid()) break;
      const Time before = execution_.tasks[r.released_by.index()].end;
      if (before < cursor) {  // neither ran: launch latency, or the host
        const double idle = (cursor - std::max(before, begin)).seconds();
        total_.launch_s += idle;
        cursor = std::max(before, begin);
      }
      t = r.released_by.value;
    }
    if (cursor <= begin) return;
    // Nothing on this rank released it: the host came late, or the step before held the stream.
    (works_on_bucket ? total_.exposed_communication_s : total_.launch_s) +=
        (cursor - begin).seconds();
  }

  const Workload& workload_;
  const Program& program_;
  const ClassExecution& execution_;
  StepParts total_;
};

}  // namespace

StepParts step_parts(const Workload& workload, const Program& program,
                     const ClassExecution& execution) {
  return Divider(workload, program, execution).run();
}

double communication_seconds(const Program& program, const ClassExecution& execution) {
  double seconds = 0;
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const Task& task = program.tasks[t];
    const TaskRecord& r = execution.tasks[t];
    if (task.kind == TaskKind::collective)
      seconds += (r.end - r.data_start).seconds();
    else if (task.communication_seconds > 0)
      seconds += (r.end - r.start).seconds() * task.communication_seconds / task.seconds;
  }
  return seconds;
}

}  // namespace dsim
