#include "model/strategy/fsdp2_step.h"

#include <utility>

namespace dsim {

Fsdp2Step::Fsdp2Step(StepWriter& writer, ShardPlan plan, const ShardFamilies& families)
    : FsdpStep(writer, std::move(plan), families),
      copy_in_stream_(writer.stream("all-gather copy-in")),
      reduced_stream_(writer.stream("reduced gradients")),
      gathered_(this->plan().units.size()),
      whole_(this->plan().units.size(), 0) {}

/// Gathers must find the parameters that the optimizer wrote.
void Fsdp2Step::begin_forward() {
  gathers_wait_ = {writer_.last_compute()};
  copied_out_ = {};
}

/// Without explicit prefetch the host runs ahead: the gather of the next unit is issued while this
/// one computes, behind the copy-out of the one before.
void Fsdp2Step::before_forward(std::size_t unit) {
  gather(unit, Phase::forward, false);
  if (gathered_[unit].empty()) return;
  const TaskId before = copied_out_;
  copied_out_ = copy_out(unit, Phase::forward);
  if (before.valid()) gathers_wait_ = {before};
}

void Fsdp2Step::after_forward(std::size_t unit) {
  if (unit != root && options().reshard_after_forward) whole_[unit] = 0;
}

void Fsdp2Step::before_backward(std::size_t unit) {
  const bool regather = families_.regather.valid();
  gather(unit, Phase::backward, regather);
  if (!gathered_[unit].empty()) gathers_wait_ = {copy_out(unit, Phase::backward)};
  if (!options().backward_prefetch) return;
  if (const std::size_t next = next_in_backward(unit); next != root)
    gather(next, Phase::backward, regather);
}

void Fsdp2Step::after_backward(std::size_t unit) {
  whole_[unit] = 0;
  if (alone() || !reduces_) return;
  std::vector<TaskId> reducing;
  for (const Part& part : parts(unit)) {
    // One reduction at a time: its input is kept until it ends.
    for (const TaskId task : reducing_) writer_.wait_for(task);
    const double elements = part.elements(), own = part.own_elements();
    const double reduce = reduce_bytes();
    writer_.host_work(static_cast<double>(part.shard->tensors) * host().gradient_hook);
    const TaskId packed = writer_.memory(elements * (parameter_bytes() + reduce), Phase::backward,
                                         "reduce-scatter copy-in", host().backward_launch);
    TaskId end = reduce_scatter(part, unit, {packed, last_reduced_});
    reducing.push_back(end);
    end = reduce_over_replicas(part, unit, end);
    // Sharded gradients are fp32, and the next micro-batch adds to them.
    const double cast = reduce == 4 ? 0 : reduce + 4;
    const TaskId kept = side_kernel(reduced_stream_, own * (cast + (first_ ? 0 : 12)),
                                    Phase::backward, "keep sharded gradient", {end});
    if (kept.valid()) end = last_reduced_ = kept;
    reduced_.push_back(end);
  }
  if (!reducing.empty()) reducing_ = std::move(reducing);
}

void Fsdp2Step::finish_backward() {
  if (reduced_.empty()) return;
  for (const TaskId task : std::exchange(reduced_, {})) writer_.wait_for(task);
  reducing_.clear();
  writer_.join(Phase::backward, "wait for sharded gradients");
}

void Fsdp2Step::gather(std::size_t unit, Phase phase, bool regather) {
  if (alone() || whole_[unit] || !gathered_[unit].empty()) return;
  for (const Part& part : parts(unit)) {
    // The shard is cast, then copied into the buffer of the gather. Resharded parameters to gather
    // again are in the compute dtype already.
    const double bytes = 2.0 * parameter_bytes() + (casts() && !regather ? 6 : 0);
    const double own =
        regather && !part.expert ? part.elements() / options().reshard_size : part.own_elements();
    const TaskId packed =
        side_kernel(copy_in_stream_, bytes * own, phase, "all-gather copy-in", gathers_wait_);
    gathered_[unit].push_back(all_gather(part, unit, phase, {packed}, regather));
  }
}

TaskId Fsdp2Step::copy_out(std::size_t unit, Phase phase) {
  TaskId last;
  std::size_t i = 0;
  for (const Part& part : parts(unit)) {
    writer_.wait_for(gathered_[unit][i++]);
    writer_.host_work(static_cast<double>(part.shard->tensors) * host().gradient_hook);
    last = writer_.memory(2.0 * part.elements() * parameter_bytes(), phase, "all-gather copy-out",
                          host().forward_launch);
  }
  gathered_[unit].clear();
  whole_[unit] = 1;
  return last;
}

}  // namespace dsim
