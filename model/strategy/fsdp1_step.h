#pragma once
#include <deque>
#include <vector>

#include "model/strategy/fsdp_step.h"

namespace dsim {

/// FSDP1, FullyShardedDataParallel: a unit is one flat parameter, gathered in place. Sources:
/// pytorch torch/distributed/fsdp/_runtime_utils.py (hooks, streams, rate limiter, prefetch),
/// _flat_param.py, _limiter_utils.py.
class Fsdp1Step : public FsdpStep {
 public:
  Fsdp1Step(StepWriter& writer, ShardPlan plan, const ShardFamilies& families);

 private:
  void begin_forward() override;
  void before_forward(std::size_t unit) override;
  void after_forward(std::size_t unit) override;
  void before_backward(std::size_t unit) override;
  void after_backward(std::size_t unit) override;
  void finish_backward() override;

  /// Casts the shard and gathers the unit, if it is neither whole nor on its way. The host waits
  /// first for an earlier unit to be freed when `all_gather_limit` units have been.
  void gather(std::size_t unit, Phase phase);
  void wait_for_gather(std::size_t unit);
  void free(std::size_t unit);

  std::uint8_t unshard_stream_, post_backward_stream_;
  std::vector<std::vector<TaskId>> gathered_;  ///< by unit: gathers that compute has not waited for
  std::vector<char> whole_;                    ///< by unit: gathered or on its way
  std::deque<TaskId> freed_;  ///< ends of units that were freed, for the rate limiter
  TaskId start_;              ///< what gathers of this micro-batch wait for
  std::vector<TaskId> reduced_;
};

}  // namespace dsim
