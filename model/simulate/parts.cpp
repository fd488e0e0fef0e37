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
  Divider(const Program& program, const ClassExecution& execution)
      : program_(program), execution_(execution) {
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t)
      if (program.tasks[t].kind == TaskKind::collective) collectives_.push_back(t);
  }

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
        part_of(total_, task.phase) += (record.end - record.start).seconds();
      cursor = std::max(cursor, record.end);
      after[t] = total_;
    }
    return total_;
  }

 private:
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
    if (last >= 0) {
      const Task& awaited = program_.tasks[static_cast<std::size_t>(last)];
      if (awaited.stream == input_stream)
        total_.input_s += (depended - begin).seconds();
      else
        divide_communication(begin, depended,
                             awaited.bucket >= 0 && awaited.kind == TaskKind::kernel);
    }
    if (end > depended) total_.launch_s += (end - depended).seconds();
  }

  // Within [begin, end]: waiting for other ranks, moving data, or neither. The last is work on a
  // bucket after its collective (a cast) or the host that had not come to the collective yet.
  void divide_communication(Time begin, Time end, bool works_on_bucket) {
    Time waiting{}, moving{};
    for (const std::uint32_t t : collectives_) {
      const TaskRecord& r = execution_.tasks[t];
      waiting += overlap(r.start, r.data_start, begin, end);
      moving += overlap(r.data_start, r.end, begin, end);
    }
    total_.wait_s += waiting.seconds();
    total_.exposed_communication_s += moving.seconds();
    (works_on_bucket ? total_.exposed_communication_s : total_.launch_s) +=
        (end - begin - waiting - moving).seconds();
  }

  static Time overlap(Time a, Time b, Time begin, Time end) {
    const Time low = std::max(a, begin), high = std::min(b, end);
    return high > low ? high - low : Time{};
  }

  const Program& program_;
  const ClassExecution& execution_;
  std::vector<std::uint32_t> collectives_;
  StepParts total_;
};

}  // namespace

StepParts step_parts(const Program& program, const ClassExecution& execution) {
  return Divider(program, execution).run();
}

double communication_seconds(const Program& program, const ClassExecution& execution) {
  double seconds = 0;
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t)
    if (program.tasks[t].kind == TaskKind::collective)
      seconds += (execution.tasks[t].end - execution.tasks[t].data_start).seconds();
  return seconds;
}

}  // namespace dsim
