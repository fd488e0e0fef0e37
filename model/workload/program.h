#pragma once
// What a rank executes, as data: programs per rank class plus families of groups. Strategies write
// it, the conductor (model/simulate) runs it.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/workload/collective_op.h"
#include "sim/base/id.h"
#include "sim/base/units.h"

namespace dsim {

using TaskId = Id<struct TaskTag>;
using FamilyId = Id<struct FamilyTag>;

enum class Phase : std::uint8_t { input, forward, backward, optimizer, other };

enum class TaskKind : std::uint8_t {
  kernel,       ///< runs on its stream for `seconds` when alone; loads SMs and HBM
  collective,   ///< joins `collective` on its stream; ends when the collective ends
  join,         ///< takes no time: ends when its dependencies have ended (stream event)
  delay,        ///< takes `seconds` of its stream whatever else runs (host work, PCIe copy)
  fast_forward  ///< takes `count` times the span between the ends of tasks `from` and `to`: one
                ///< period of a repeated micro-batch that is not simulated again. Meanwhile the
                ///< host issues as much again, before it comes to the next task
};

/// Who moves the data of a call. gloo and mpi go through host memory.
enum class CallBackend : std::uint8_t { nccl, gloo, mpi };

/// A collective that every group of a family runs in the same way. `sendrecv` with groups of two:
/// the first rank sends `bytes` to the second, and nothing comes back.
struct CollectiveCall {
  CollectiveOp op = CollectiveOp::all_reduce;
  FamilyId family;
  Bytes bytes;  ///< nccl-tests "size": whole vector
  int element_bytes = 4;
  std::int32_t bucket = -1;
  CallBackend backend = CallBackend::nccl;
  bool hierarchical = false;  ///< in two levels, as Horovod's hierarchical all-reduce
};

/// The groups of one kind (all data-parallel groups, ...). Members are ranks.
struct GroupFamily {
  std::string name;
  std::vector<std::vector<std::uint32_t>> groups;
};

/// One thing a rank does. Tasks of a stream run in program order; the host issues all tasks of the
/// program in order, `host_seconds` each.
struct Task {
  TaskKind kind = TaskKind::kernel;
  Phase phase = Phase::other;
  std::uint8_t stream = 0;
  std::int32_t bucket = -1;
  std::uint32_t name = 0;        ///< index into Program::names
  double seconds = 0;            ///< kernel (alone), delay
  double communication_seconds = 0;  ///< kernel that stands for a whole block: the part of `seconds`
                                     ///< that is exposed communication inside the block
  double sm_share = 0;           ///< kernel: fraction of the SMs it can use, 0..1
  double hbm_bytes = 0;          ///< kernel: HBM traffic over its life
  float host_seconds = 0;        ///< host time to issue it
  std::uint32_t collective = 0;  ///< index into Workload::collectives
  std::uint32_t first_dependency = 0, dependency_count = 0;  ///< range of Program::dependencies
  TaskId from, to;         ///< fast_forward: end of `from` .. end of `to` is one period
  std::int64_t count = 0;  ///< fast_forward: periods left out
};

/// Streams every program has; others may be appended to Program::streams.
inline constexpr std::uint8_t compute_stream = 0;
inline constexpr std::uint8_t communication_stream = 1;
inline constexpr std::uint8_t input_stream = 2;

struct Program {
  std::vector<std::string> streams{"compute", "communication", "input"};
  std::vector<std::string> names;
  std::vector<Task> tasks;           ///< in issue order
  std::vector<TaskId> dependencies;  ///< tasks of other streams that must have ended

  std::uint32_t intern(const std::string& name);  ///< index of a name, added once
  /// Appends a task with its dependencies and returns its id.
  TaskId add(Task task, std::initializer_list<TaskId> after = {});
  TaskId add(Task task, const std::vector<TaskId>& after);

 private:
  std::unordered_map<std::string, std::uint32_t> indices_;  ///< of `names`
};

/// Ranks that run the same program in like places. `speed` divides kernel times (straggler < 1).
struct RankClass {
  std::string name;
  std::vector<std::uint32_t> ranks;
  std::uint32_t program = 0;
  double speed = 1;
};

struct Workload {
  std::vector<Program> programs;
  std::vector<RankClass> classes;
  std::vector<GroupFamily> families;
  std::vector<CollectiveCall> collectives;
};

}  // namespace dsim
