#pragma once
#include <array>
#include <vector>

#include "model/strategy/zero3_trace.h"
#include "model/strategy/zero_partitions.h"

namespace dsim {

/// ZeRO stage 3: every rank keeps a part of each tensor; modules are gathered ahead of their use,
/// gradients reduce-scattered by buckets beside backward. Source: DeepSpeed
/// deepspeed/runtime/zero/stage3.py, partition_parameters.py.
class Zero3Step {
 public:
  Zero3Step(StepWriter& writer, const ZeroGroups& groups, Zero3Trace trace);
  Program write();

 private:
  void micro_batch(bool first);
  void before(std::size_t use, Phase phase);
  void gather(std::size_t index, Phase phase);
  void gradient_ready(ParameterId parameter, bool first);
  void reduce(std::size_t group, bool first);
  void gather_persistent();

  double element_bytes() const { return gradient_element_bytes_of(writer_.request()); }
  TaskId collective(CollectiveOp op, std::size_t group, std::int64_t elements, Phase phase,
                    const std::string& name, TaskId after);
  TaskId side_kernel(const char* stream, double bytes, Phase phase, const std::string& name,
                     TaskId after);

  StepWriter& writer_;
  ZeroGroups groups_;
  Zero3Trace trace_;
  std::vector<std::vector<TaskId>> gathered_;  ///< by gather of the trace
  std::array<std::int64_t, 2> open_{};         ///< elements in the bucket, by group
  TaskId start_, reducing_;
};

}  // namespace dsim
