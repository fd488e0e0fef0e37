#pragma once
#include <span>
#include <vector>

#include "model/strategy/horovod_constants.h"
#include "model/strategy/horovod_cycles.h"
#include "model/strategy/step_writer.h"

namespace dsim {

/// A gradient that a hook has enqueued, and where that is in the program.
struct EnqueuedGradient {
  ParameterId parameter;
  TaskId enqueued;  ///< the hook
  TaskId computed;  ///< task on the compute stream, or copy to the host, after which it exists
  Bytes bytes;      ///< on the wire
};

/// Writes one step with Horovod.
class HorovodStep {
 public:
  /// `responses` may be empty: then nothing is reduced, to find out when gradients arrive. Indices
  /// of their members count the gradients in the order of enqueued().
  HorovodStep(const TrainingRequest& request, const HorovodConstants& constants,
              const RankGrid& grid, SharedCalls& calls,
              std::span<const HorovodResponse> responses = {},
              std::span<const GradientArrival> arrivals = {});
  Program write();

  const std::vector<EnqueuedGradient>& enqueued() const { return enqueued_; }
  TaskId synchronized() const { return synchronized_; }  ///< the task the host waits for

  /// Seconds of the background thread on a response.
  double thread_seconds(std::size_t tensors, Bytes bytes) const;
  bool on_host() const;     ///< CPU back end: gradients go through host memory
  bool two_levels() const;  ///< inside nodes on the GPUs, between them on the hosts
  bool waits_for_data() const;

 private:
  void micro_batch(std::int64_t index, bool last);
  void hook(ParameterId parameter);
  void enqueue(ParameterId parameter, TaskId computed);
  void local_step(ParameterId parameter);  ///< Adasum: before the reduction
  void write_responses();
  void respond(const HorovodResponse& response, std::int32_t index);
  TaskId fused_copy(const char* name, const HorovodResponse& response, std::int32_t index,
                    const std::vector<TaskId>& after);
  TaskId reduce_on_gpus(const HorovodResponse& response, std::int32_t index, TaskId issued);
  TaskId reduce_in_two_levels(const HorovodResponse& response, std::int32_t index, TaskId issued);
  TaskId reduce_on_hosts(const HorovodResponse& response, std::int32_t index, TaskId issued);
  TaskId call(CollectiveOp op, FamilyId family, std::int64_t bytes, const char* name,
              std::int32_t index, CallBackend backend, const std::vector<TaskId>& after);
  TaskId delay(double seconds, std::uint8_t stream, const char* name, std::int32_t index,
               const std::vector<TaskId>& after);
  void synchronize();
  void update();
  std::vector<TaskId> computed(const HorovodResponse& response) const;
  std::int64_t elements(ParameterId parameter) const;
  double pageable_rate() const;
  int wire_bytes() const;  ///< of an element

  const TrainingRequest& request_;
  const HorovodOptions& options_;
  const HorovodConstants& constants_;
  SharedCalls& calls_;
  StepWriter writer_;
  std::span<const HorovodResponse> responses_;
  std::span<const GradientArrival> arrivals_;
  std::uint8_t thread_, finalizer_, queue_;
  FamilyId all_, node_, across_;

  std::vector<std::int64_t> missing_;  ///< by group of gradients: still to be computed
  std::vector<std::vector<std::pair<ParameterId, TaskId>>> held_;  ///< by group: computed ones
  std::vector<EnqueuedGradient> enqueued_;
  std::size_t next_response_ = 0;
  std::vector<TaskId> finished_;  ///< by response: its callbacks have run
  TaskId synchronized_;
};

}  // namespace dsim
