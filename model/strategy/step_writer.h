#pragma once
// What the programs of all strategies share: passes over layers, communication inside them, and the
// ends of a step. A strategy adds its own collectives between.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/strategy/block_times.h"
#include "model/strategy/kernel_tasks.h"
#include "model/strategy/parallelism.h"
#include "model/strategy/shared_calls.h"
#include "model/strategy/training.h"

namespace dsim {

/// Kernels a program would hold if it were written kernel by kernel, each layer `times` times.
std::size_t kernel_level_tasks(const Model& model, std::int64_t times);
/// More kernels than these are merged: one task for a pass through a layer.
inline constexpr std::size_t most_kernel_tasks = 60'000;

/// Whether the host issues work before the GPU comes to it, or waits for the GPU after each block,
/// as it does where sends and receives block.
enum class HostPace : std::uint8_t { runs_ahead, keeps_step };

/// What a backward pass does beside its kernels.
struct BackwardPass {
  bool accumulate = false;  ///< gradients are added to those of an earlier micro-batch
  std::function<void(ParameterId)> gradient_ready;  ///< called where a gradient is complete
};

/// Where a collective of a step goes.
struct CollectivePlace {
  Phase phase = Phase::backward;
  std::uint8_t stream = communication_stream;
  std::string name;  ///< shown in the trace
  std::string key;   ///< where programs of several stages meet in one call; empty = this one's own
};

/// Writes the program of the ranks of one pipeline stage in the order in which their host issues
/// it. Kernels go to the compute stream; waits are taken over by the next task there.
class StepWriter {
 public:
  /// References must outlive the writer. Kernels are merged by layer (see `merge`) where the model
  /// has too many of them and the request has a block timer.
  StepWriter(const TrainingRequest& request, const RankGrid& grid, SharedCalls& calls,
             std::uint32_t stage = 0);

  /// Merges the kernels of each layer and pass into one task, or not.
  void merge(bool merged) { merged_ = merged; }
  bool merged() const { return merged_; }

  // -- passes -------------------------------------------------------------------------------------
  /// Waits for the micro-batch that is on its way and starts to copy the next.
  void begin_micro_batch();
  void forward(std::size_t layer);
  void backward(std::size_t layer, const BackwardPass& pass = {});
  /// Kernels in order, those of kind communication on the stream of their group; `layer` is the
  /// first part of their names.
  void kernels(std::span<const Kernel> kernels, Phase phase, const std::string& layer);
  /// One task that stands for `time`; in a pass of its own host time or, with CUDA graphs, none.
  void block(const BlockTime& time, Phase phase, const std::string& name,
             HostPace pace = HostPace::runs_ahead);
  /// Adds the gradient of a parameter to that of earlier micro-batches.
  void accumulate(ParameterId parameter) { accumulate(elements(parameter)); }
  /// HBM bytes it costs to add one element of a gradient to those of earlier micro-batches; 0 where
  /// wgrad kernels do it.
  double accumulation_bytes() const { return accumulation_bytes_; }
  void set_accumulation_bytes(double bytes) { accumulation_bytes_ = bytes; }
  /// Adds gradients of so many elements to those of earlier micro-batches, unless wgrad kernels do.
  void accumulate(double elements);
  /// Stands for `count` more micro-batches like the one that began when `from` ended.
  void repeat(std::int64_t count, TaskId from);

  // -- the end of a step --------------------------------------------------------------------------
  /// Norm of the gradients of `parameters` elements, summed `over` a family (invalid: no need to),
  /// and the kernel that scales them.
  void clip_gradients(double parameters, double element_bytes, FamilyId over);
  /// Optimizer step over so many parameters of this rank.
  void optimizer(double parameters);
  /// Waits for the next step's first micro-batch and hands the program over.
  Program finish();

  // -- tasks --------------------------------------------------------------------------------------
  /// Adds a task; on the compute stream it takes over all waits. Dependencies that are invalid or
  /// on the same stream are left out.
  TaskId issue(Task task, const std::string& name, double host_seconds,
               const std::vector<TaskId>& after = {});
  /// A memory-bound kernel on the compute stream.
  TaskId memory(double bytes, Phase phase, const std::string& name, double host_seconds,
                std::int32_t bucket = -1);
  /// A point of the compute stream at which all waits have ended.
  TaskId join(Phase phase, const std::string& name, std::int32_t bucket = -1);
  /// Issues a collective behind `after`. With no family or no bytes nothing is sent: the end of
  /// `after` is the end of it.
  TaskId collective(const CollectiveCall& call, const CollectivePlace& place,
                    const std::vector<TaskId>& after);
  /// The same for a call that the workload already has.
  TaskId join_call(std::uint32_t call, const CollectivePlace& place,
                   const std::vector<TaskId>& after);
  void wait_for(TaskId task);              ///< the next compute task does; invalid = nothing
  void host_work(double seconds) { host_work_ += seconds; }  ///< billed to the next task
  /// Index of a stream by name; added if new.
  std::uint8_t stream(const std::string& name);
  /// Families of this stage, in the workload once.
  FamilyId family(ParallelGroup group);
  FamilyId data_family();
  FamilyId expert_data_family();
  FamilyId all_ranks();
  FamilyId family(const std::string& name, const std::function<GroupFamily()>& make) {
    return calls_.family(name, make);
  }
  FamilyId family(const std::string& name, const GroupFamily& family) {
    return calls_.family(name, family);
  }

  const TrainingRequest& request() const { return request_; }
  const Model& model() const { return *request_.model; }
  const RankGrid& grid() const { return grid_; }
  std::uint32_t stage() const { return stage_; }
  Program& program() { return program_; }
  KernelTasks& tasks() { return kernels_; }
  BlockTimes& blocks() { return blocks_; }
  TaskId last_compute() const { return last_compute_; }
  double gradient_bytes(ParameterId parameter) const;
  double elements(ParameterId parameter) const;

 private:
  /// A communication that may run beside the next `left` kernels.
  struct Hidden {
    TaskId task;
    int left = 0;
  };
  TaskId send(CollectiveCall call, const CollectivePlace& place, const std::vector<TaskId>& after,
              double host_seconds);
  void communication(const Kernel& kernel, Phase phase, const std::string& layer);
  double launch_seconds(const Kernel& kernel, Phase phase);
  bool replays(Phase phase);
  void copy_input(double seconds);
  std::string at_stage(const char* name) const;

  const TrainingRequest& request_;
  const HostConstants& host_;
  const RankGrid& grid_;
  SharedCalls& calls_;
  std::uint32_t stage_;
  Program program_;
  KernelTasks kernels_;
  BlockTimes blocks_;
  bool merged_ = false;
  double accumulation_bytes_ = 0;
  std::array<std::optional<FamilyId>, 4> group_families_;  ///< by ParallelGroup, once asked for

  double host_work_ = 0;
  std::vector<TaskId> waits_;   ///< what the next task on the compute stream waits for
  std::vector<Hidden> hidden_;  ///< communications that nobody waits for yet
  TaskId last_compute_;
  TaskId input_;                ///< copy of the next micro-batch
  Phase replayed_ = Phase::other;  ///< CUDA graphs: the pass whose graph was launched last
};

}  // namespace dsim
