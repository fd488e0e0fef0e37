#pragma once
#include <vector>

#include "model/strategy/fsdp_step.h"

namespace dsim {

/// FSDP2, fully_shard: parameters stay apart, so every gather and reduction has copies around it.
/// Sources: pytorch torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py (order, streams, what
/// waits for what) and _fsdp_collectives.py (copies).
class Fsdp2Step : public FsdpStep {
 public:
  Fsdp2Step(StepWriter& writer, ShardPlan plan, const ShardFamilies& families);

 private:
  void begin_forward() override;
  void before_forward(std::size_t unit) override;
  void after_forward(std::size_t unit) override;
  void before_backward(std::size_t unit) override;
  void after_backward(std::size_t unit) override;
  void finish_backward() override;

  /// unshard(): copy-in and all-gather on their own streams; nothing if it is on its way or whole.
  void gather(std::size_t unit, Phase phase, bool regather);
  /// wait_for_unshard(): the compute stream copies out what has arrived.
  TaskId copy_out(std::size_t unit, Phase phase);

  std::uint8_t copy_in_stream_, reduced_stream_;
  std::vector<std::vector<TaskId>> gathered_;  ///< by unit: gathers that are not copied out yet
  std::vector<char> whole_;                    ///< by unit: parameters are there
  std::vector<TaskId> gathers_wait_;           ///< what the streams of gathers wait for
  TaskId copied_out_;                          ///< forward: the copy-out before, not yet waited for
  std::vector<TaskId> reducing_;               ///< the last reduce-scatters, one unit's
  std::vector<TaskId> reduced_;                ///< ends of reductions of this micro-batch
  TaskId last_reduced_;                        ///< last kernel on reduced gradients
};

}  // namespace dsim
