#include "model/strategy/fsdp1_step.h"

#include <utility>

namespace dsim {

Fsdp1Step::Fsdp1Step(StepWriter& writer, ShardPlan plan, const ShardFamilies& families)
    : FsdpStep(writer, std::move(plan), families),
      unshard_stream_(writer.stream("unshard")),
      post_backward_stream_(writer.stream("post-backward")),
      gathered_(this->plan().units.size()),
      whole_(this->plan().units.size(), 0) {}

/// Gathers must find the parameters that the optimizer wrote.
void Fsdp1Step::begin_forward() { start_ = writer_.last_compute(); }

void Fsdp1Step::before_forward(std::size_t unit) {
  gather(unit, Phase::forward);
  if (options().forward_prefetch && unit + 1 < plan().units.size())
    gather(unit + 1, Phase::forward);
  wait_for_gather(unit);
}

void Fsdp1Step::after_forward(std::size_t unit) {
  if (unit != root && options().reshard_after_forward) free(unit);
}

/// BACKWARD_PRE: the next unit is on its way while this one computes.
void Fsdp1Step::before_backward(std::size_t unit) {
  gather(unit, Phase::backward);
  wait_for_gather(unit);
  if (!options().backward_prefetch) return;
  if (const std::size_t next = next_in_backward(unit); next != root) gather(next, Phase::backward);
}

void Fsdp1Step::after_backward(std::size_t unit) {
  // no_sync() under SHARD_GRAD_OP keeps the parameters whole, too.
  if (!reduces_) {
    if (options().reshard_after_forward) free(unit);
    return;
  }
  if (alone()) return free(unit);
  std::vector<std::pair<Part, TaskId>> flat;
  for (const Part& part : parts(unit)) {
    // The gradients of the views are put together into that of the flat parameter.
    flat.emplace_back(part,
                      writer_.memory(2.0 * part.elements() * parameter_bytes(), Phase::backward,
                                     "flatten gradients", host().backward_launch));
    writer_.host_work(host().gradient_hook);
  }
  free(unit);
  const double reduce = reduce_bytes();
  for (const auto& [part, ready] : flat) {
    // Cast to the reduction's dtype, divide; after it divide again, cast back, add.
    const double cast = reduce == parameter_bytes() ? 0 : reduce + parameter_bytes();
    const TaskId divided = side_kernel(post_backward_stream_, part.elements() * (cast + 2 * reduce),
                                       Phase::backward, "cast and divide gradients", {ready});
    TaskId end = reduce_scatter(part, unit, {divided});
    end = reduce_over_replicas(part, unit, end);
    const double back = reduce == 4 ? 0 : reduce + 4;
    end = side_kernel(post_backward_stream_,
                      part.own_elements() * (2 * reduce + back + (first_ ? 0 : 12)),
                      Phase::backward, "keep sharded gradient", {end});
    reduced_.push_back(end);
  }
}

void Fsdp1Step::finish_backward() {
  if (reduced_.empty()) return;
  for (const TaskId task : std::exchange(reduced_, {})) writer_.wait_for(task);
  writer_.join(Phase::backward, "wait for sharded gradients");
}

void Fsdp1Step::gather(std::size_t unit, Phase phase) {
  if (alone() || whole_[unit] || plan().units[unit].empty()) return;
  whole_[unit] = 1;
  std::vector<TaskId> after{start_};
  const auto limit = static_cast<std::size_t>(options().all_gather_limit);
  if (limit > 0 && freed_.size() >= limit) {
    after.push_back(freed_.front());
    freed_.pop_front();
  }
  for (const Part& part : parts(unit)) {
    std::vector<TaskId> ready = after;
    if (casts())
      ready.push_back(side_kernel(unshard_stream_, 6 * part.own_elements(), phase,
                                  "cast shard to compute dtype", {start_}));
    gathered_[unit].push_back(all_gather(part, unit, phase, ready));
  }
}

void Fsdp1Step::wait_for_gather(std::size_t unit) {
  for (const TaskId task : std::exchange(gathered_[unit], {})) writer_.wait_for(task);
}

void Fsdp1Step::free(std::size_t unit) {
  whole_[unit] = 0;
  if (options().all_gather_limit > 0 && !alone() && !plan().units[unit].empty())
    freed_.push_back(writer_.last_compute());
}

}  // namespace dsim
