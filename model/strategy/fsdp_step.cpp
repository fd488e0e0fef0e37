#include "model/strategy/fsdp_step.h"

#include <algorithm>
#include <utility>

namespace dsim {

namespace {

/// More micro-batches than these repeat the second one: the first finds no gradient to add to, the
/// last one may reduce.
constexpr std::int64_t simulated_micro_batches = 3;

}  // namespace

FsdpStep::FsdpStep(StepWriter& writer, ShardPlan plan, const ShardFamilies& families)
    : writer_(writer), families_(families), plan_(std::move(plan)) {}

Program FsdpStep::write() {
  const std::int64_t micro_batches = writer_.request().options.accumulate;
  const std::int64_t left_out = std::max<std::int64_t>(0, micro_batches - simulated_micro_batches);
  for (std::int64_t i = 0; i + 1 < std::min(micro_batches, simulated_micro_batches); ++i) {
    const TaskId before = writer_.last_compute();
    micro_batch(i, false);
    if (i == 1 && left_out > 0) writer_.repeat(left_out, before);
  }
  micro_batch(micro_batches - 1, true);
  optimizer();
  return writer_.finish();
}

void FsdpStep::micro_batch(std::int64_t index, bool last) {
  first_ = index == 0;
  reduces_ = last || !options().accumulate_unsharded;
  writer_.begin_micro_batch();
  begin_forward();
  forward();
  backward();
  finish_backward();
}

void FsdpStep::forward() {
  before_forward(root);
  for (std::size_t l = 0; l < writer_.model().layers.size(); ++l) {
    const std::size_t unit = plan_.unit_of_layer[l];
    const auto& layers = plan_.units[unit].layers;
    if (unit != root && layers.front() == l) before_forward(unit);
    writer_.forward(l);
    if (unit != root && layers.back() == l) after_forward(unit);
  }
  after_forward(root);
}

/// The root's gradients are reduced last: the embedding's come at the very end.
void FsdpStep::backward() {
  BackwardPass pass;
  pass.accumulate = !first_ && (alone() || options().accumulate_unsharded);
  before_backward(root);
  for (std::size_t l = writer_.model().layers.size(); l-- > 0;) {
    const std::size_t unit = plan_.unit_of_layer[l];
    const auto& layers = plan_.units[unit].layers;
    if (unit != root && layers.back() == l) before_backward(unit);
    writer_.backward(l, pass);
    if (unit != root && layers.front() == l) after_backward(unit);
  }
  after_backward(root);
}

/// Every rank updates its shard, in fp32.
void FsdpStep::optimizer() {
  double owned = 0;
  for (const ShardUnit& unit : plan_.units)
    owned += static_cast<double>(unit.dense.shard() + unit.expert.shard());
  const TrainingRequest& request = writer_.request();
  if (request.options.clip_gradients) {
    const Parallelism& parallel = writer_.grid().parallelism();
    const bool split = parallel.tensor > 1 || parallel.expert > 1;
    writer_.clip_gradients(owned, 4, split ? writer_.all_ranks() : families_.shard);
  }
  writer_.optimizer(owned);
}

std::vector<FsdpStep::Part> FsdpStep::parts(std::size_t unit) const {
  std::vector<Part> result;
  const ShardUnit& content = plan_.units[unit];
  if (content.dense.elements > 0)
    result.push_back({&content.dense, families_.shard, communication_stream, false});
  if (content.expert.elements > 0)
    result.push_back(
        {&content.expert, families_.expert_shard, writer_.stream("expert communication"), true});
  return result;
}

std::size_t FsdpStep::next_in_backward(std::size_t unit) const {
  return unit == root ? plan_.units.size() - 1 : unit - 1;
}

bool FsdpStep::alone() const {
  return !families_.shard.valid() && !families_.expert_shard.valid() && !replicated();
}

int FsdpStep::parameter_bytes() const {
  return static_cast<int>(gradient_element_bytes_of(writer_.request()));
}

int FsdpStep::reduce_bytes() const {
  return std::min(4, std::max(parameter_bytes(), activation_bytes(options().reduce)));
}

TaskId FsdpStep::all_gather(const Part& part, std::size_t unit, Phase phase,
                            const std::vector<TaskId>& after, bool regather) {
  CollectiveCall call;
  call.op = CollectiveOp::all_gather;
  call.family = regather && !part.expert ? families_.regather : part.family;
  call.bytes = Bytes{part.shard->padded * parameter_bytes()};
  call.element_bytes = parameter_bytes();
  CollectivePlace place;
  place.phase = phase;
  place.stream = part.stream;
  place.name = (part.expert ? "all-gather experts of " : "all-gather ") + plan_.units[unit].name;
  return writer_.collective(call, place, after);
}

TaskId FsdpStep::reduce_scatter(const Part& part, std::size_t unit,
                                const std::vector<TaskId>& after) {
  CollectiveCall call;
  call.op = CollectiveOp::reduce_scatter;
  call.family = part.family;
  call.bytes = Bytes{part.shard->padded * reduce_bytes()};
  call.element_bytes = reduce_bytes();
  CollectivePlace place;
  place.stream = part.stream;
  place.name =
      (part.expert ? "reduce-scatter experts of " : "reduce-scatter ") + plan_.units[unit].name;
  return writer_.collective(call, place, after);
}

TaskId FsdpStep::reduce_over_replicas(const Part& part, std::size_t unit, TaskId after) {
  if (!replicated()) return after;
  CollectiveCall call;
  call.op = CollectiveOp::all_reduce;
  call.family = families_.replicas;
  call.bytes = Bytes{part.shard->shard() * reduce_bytes()};
  call.element_bytes = reduce_bytes();
  CollectivePlace place;
  place.stream = writer_.stream("replicas");
  place.name = "all-reduce shard of " + plan_.units[unit].name;
  return writer_.collective(call, place, {after});
}

TaskId FsdpStep::side_kernel(std::uint8_t stream, double bytes, Phase phase,
                             const std::string& name, const std::vector<TaskId>& after) {
  if (bytes <= 0) return {};
  Task task = writer_.tasks().memory_task(bytes, phase);
  task.stream = stream;
  return writer_.issue(task, name, host().forward_launch, after);
}

}  // namespace dsim
