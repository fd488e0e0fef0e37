#pragma once
// What tests ask of a program: what it sends, and what must have ended before a task can start.
#include <string>
#include <vector>

#include "model/workload/program.h"

namespace dsim {

/// Bytes that a rank of a group of `ranks` sends for a call on `bytes`, as ring algorithms do
/// (reference: volumes by scheme).
inline double wire_bytes(CollectiveOp op, double bytes, double ranks) {
  switch (op) {
    case CollectiveOp::all_reduce:
      return 2 * (ranks - 1) / ranks * bytes;
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::reduce:
      return (ranks - 1) / ranks * bytes;
    default:
      return bytes;
  }
}

/// How often a task runs in a step: once, and once for each micro-batch that it stands for.
inline std::int64_t times_run(const Program& program, std::size_t task) {
  std::int64_t times = 1;
  for (const Task& skip : program.tasks)
    if (skip.kind == TaskKind::fast_forward && task > skip.from.index() && task <= skip.to.index())
      times += skip.count;
  return times;
}

/// Bytes that a rank of the first program sends in collectives whose task name begins so.
inline double sent_bytes(const Workload& workload, const std::string& begins = "") {
  const Program& program = workload.programs.at(0);
  double total = 0;
  for (std::size_t t = 0; t < program.tasks.size(); ++t) {
    const Task& task = program.tasks[t];
    if (task.kind != TaskKind::collective || !program.names[task.name].starts_with(begins))
      continue;
    const CollectiveCall& call = workload.collectives[task.collective];
    const double ranks =
        static_cast<double>(workload.families[call.family.index()].groups.front().size());
    total += static_cast<double>(times_run(program, t)) *
             wire_bytes(call.op, static_cast<double>(call.bytes.count), ranks);
  }
  return total;
}

/// Which tasks must have ended before each task can start.
class Ancestry {
 public:
  explicit Ancestry(const Program& program) : before_(program.tasks.size()) {
    std::vector<std::int64_t> last(program.streams.size(), -1);
    for (std::size_t t = 0; t < program.tasks.size(); ++t) {
      before_[t].assign(t, false);
      const Task& task = program.tasks[t];
      if (last[task.stream] >= 0) inherit(t, static_cast<std::size_t>(last[task.stream]));
      for (std::uint32_t i = 0; i < task.dependency_count; ++i)
        inherit(t, program.dependencies[task.first_dependency + i].index());
      last[task.stream] = static_cast<std::int64_t>(t);
    }
  }
  bool follows(std::size_t task, std::size_t earlier) const {
    return earlier < task && before_[task][earlier];
  }

 private:
  void inherit(std::size_t task, std::size_t from) {
    before_[task][from] = true;
    for (std::size_t i = 0; i < from; ++i)
      if (before_[from][i]) before_[task][i] = true;
  }
  std::vector<std::vector<bool>> before_;
};

/// Tasks of a phase whose name begins so, in order.
inline std::vector<std::size_t> tasks_named(const Program& program, const std::string& begins,
                                            Phase phase) {
  std::vector<std::size_t> result;
  for (std::size_t t = 0; t < program.tasks.size(); ++t)
    if (program.tasks[t].phase == phase && program.names[program.tasks[t].name].starts_with(begins))
      result.push_back(t);
  return result;
}

}  // namespace dsim
