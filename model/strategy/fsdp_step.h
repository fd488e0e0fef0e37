#pragma once
#include <string>
#include <vector>

#include "model/strategy/fsdp_units.h"
#include "model/strategy/step_writer.h"

namespace dsim {

/// Who takes part in the collectives of a sharded step; invalid where one rank is alone.
struct ShardFamilies {
  FamilyId shard, expert_shard;  ///< ranks that share a copy of the parameters
  FamilyId replicas;             ///< hybrid sharding: ranks that hold the same shard
  FamilyId regather;             ///< FSDP2 with reshard_after_forward=int: backward gathers here
};

/// A step in which units are gathered before they run and freed after, gradients reduced to
/// shards: what both generations of FSDP have in common. Their streams, copies and order of
/// collectives differ.
///
/// Gathers and reductions of the same ranks go through one NCCL communicator, which runs them one
/// after the other in the order of the host, whatever streams they are on: here they share
/// `communication_stream`.
class FsdpStep {
 public:
  FsdpStep(StepWriter& writer, ShardPlan plan, const ShardFamilies& families);
  virtual ~FsdpStep() = default;
  Program write();

 protected:
  /// Parameters of a unit that travel in one collective.
  struct Part {
    const UnitShard* shard = nullptr;
    FamilyId family;
    std::uint8_t stream = communication_stream;
    bool expert = false;
    double elements() const { return static_cast<double>(shard->padded); }
    double own_elements() const { return static_cast<double>(shard->shard()); }
  };
  static constexpr std::size_t root = 0;

  virtual void begin_forward() {}
  virtual void before_forward(std::size_t unit) = 0;
  virtual void after_forward(std::size_t unit) = 0;
  virtual void before_backward(std::size_t unit) = 0;
  virtual void after_backward(std::size_t unit) = 0;
  virtual void finish_backward() = 0;

  const FsdpOptions& options() const { return writer_.request().options.fsdp; }
  const HostConstants& host() const { return *writer_.request().host; }
  const ShardPlan& plan() const { return plan_; }
  std::vector<Part> parts(std::size_t unit) const;  ///< those that have elements
  /// The unit that runs after this one in backward; `root` where there is none.
  std::size_t next_in_backward(std::size_t unit) const;
  bool alone() const;  ///< nobody to share with: no copies, no collectives
  bool replicated() const { return families_.replicas.valid(); }

  int parameter_bytes() const;  ///< of a gathered element, and of its gradient
  int reduce_bytes() const;     ///< of a gradient element on the wire
  bool casts() const { return parameter_bytes() != 4; }  ///< shards are fp32

  TaskId all_gather(const Part& part, std::size_t unit, Phase phase,
                    const std::vector<TaskId>& after, bool regather = false);
  TaskId reduce_scatter(const Part& part, std::size_t unit, const std::vector<TaskId>& after);
  /// Hybrid sharding: sums the reduced shard over the replicas. Returns `after` without any.
  TaskId reduce_over_replicas(const Part& part, std::size_t unit, TaskId after);
  /// Memory-bound kernel on a stream of its own; without bytes, none.
  TaskId side_kernel(std::uint8_t stream, double bytes, Phase phase, const std::string& name,
                     const std::vector<TaskId>& after);

  StepWriter& writer_;
  ShardFamilies families_;
  bool first_ = true;    ///< micro-batch that finds no gradient to add to
  bool reduces_ = true;  ///< its gradients go to the shards

 private:
  void micro_batch(std::int64_t index, bool last);
  void forward();
  void backward();
  void optimizer();

  ShardPlan plan_;
};

}  // namespace dsim
