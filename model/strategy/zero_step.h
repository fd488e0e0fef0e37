#pragma once
#include <array>
#include <vector>

#include "model/strategy/zero_partitions.h"

namespace dsim {

/// ZeRO stages 1 and 2: gradients are copied into one bucket until it is full, reduced, and each
/// rank updates its partition; new weights are gathered after the step, not beside anything.
/// Source: DeepSpeed deepspeed/runtime/zero/stage_1_and_2.py.
class ZeroStep {
 public:
  ZeroStep(StepWriter& writer, const ZeroGroups& groups);
  Program write();

 private:
  /// Gradients that wait for their reduction (IPG bucket).
  struct OpenBucket {
    std::int64_t elements = 0;
    std::int64_t begin = 0;  ///< place of its first element among all that were reduced
  };
  void micro_batch(std::int64_t index, bool last);
  void gradient_ready(ParameterId parameter);
  void reduce(std::size_t group);
  TaskId reduce_to_owners(const ZeroGroup& group, const OpenBucket& bucket, TaskId after);
  void finish_reduction(bool first);
  void gather_weights();

  const ZeroOptions& options() const { return writer_.request().options.zero; }
  bool second_stage() const { return writer_.request().options.strategy == Strategy::zero2; }
  double element_bytes() const { return gradient_element_bytes_of(writer_.request()); }
  CollectiveCall call(CollectiveOp op, const ZeroGroup& group, std::int64_t elements) const;
  /// A kernel of the reduction: beside compute with overlap_comm.
  TaskId reduction_kernel(double bytes, const std::string& name, TaskId after);

  StepWriter& writer_;
  ZeroGroups groups_;
  std::array<OpenBucket, 2> open_;
  TaskId reducing_;  ///< end of the bucket that is reduced beside compute
};

}  // namespace dsim
