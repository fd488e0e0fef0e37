#include "model/workload/program.h"

#include "sim/base/error.h"

namespace dsim {

namespace {

template <class Range>
TaskId append(Program& program, Task task, const Range& after) {
  task.first_dependency = static_cast<std::uint32_t>(program.dependencies.size());
  task.dependency_count = static_cast<std::uint32_t>(after.size());
  for (const TaskId dependency : after) {
    require(dependency.index() < program.tasks.size(),
            "a task depends on one that is not yet issued");
    program.dependencies.push_back(dependency);
  }
  program.tasks.push_back(task);
  return TaskId{program.tasks.size() - 1};
}

}  // namespace

std::uint32_t Program::intern(const std::string& name) {
  const auto [entry, added] = indices_.try_emplace(name, static_cast<std::uint32_t>(names.size()));
  if (added) names.push_back(name);
  return entry->second;
}

TaskId Program::add(Task task, std::initializer_list<TaskId> after) {
  return append(*this, task, after);
}
TaskId Program::add(Task task, const std::vector<TaskId>& after) {
  return append(*this, task, after);
}

}  // namespace dsim
