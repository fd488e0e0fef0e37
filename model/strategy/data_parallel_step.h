#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/strategy/data_parallel.h"
#include "model/strategy/step_writer.h"

namespace dsim {

/// Tensors that travel as one: broadcast_coalesced and reduce_add_coalesced cut at 10 MiB.
struct CoalescedTensors {
  std::size_t tensors = 0;
  std::int64_t bytes = 0;
};
/// Runs of tensors in order; one that is larger than `limit` goes alone.
std::vector<CoalescedTensors> coalesce(const std::vector<std::int64_t>& bytes, std::int64_t limit);

/// Writes the program of GPU 0 or of one of the others.
class DataParallelStep {
 public:
  DataParallelStep(const TrainingRequest& request, const DataParallelConstants& constants,
                   const RankGrid& grid, SharedCalls& calls, bool first);
  Program write();

 private:
  void micro_batch(std::int64_t index);
  void replicate(std::int64_t index);
  void move_outputs(CollectiveOp op, Phase phase, const char* name, std::int64_t index);
  void reduce(std::int64_t index);
  /// A collective on the way of the compute stream; `key` is where both programs meet.
  void call(CollectiveOp op, std::int64_t bytes, int element_bytes, Phase phase,
            const std::string& name, const std::string& key);

  const TrainingRequest& request_;
  const DataParallelConstants& constants_;
  bool first_;  ///< GPU 0
  StepWriter writer_;
  FamilyId all_;
};

}  // namespace dsim
