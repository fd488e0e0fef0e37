#include "model/strategy/zero_step.h"

#include <algorithm>
#include <utility>

namespace dsim {

namespace {

/// More micro-batches than these repeat the second one.
constexpr std::int64_t simulated_micro_batches = 3;

}  // namespace

ZeroStep::ZeroStep(StepWriter& writer, const ZeroGroups& groups)
    : writer_(writer), groups_(groups) {}

Program ZeroStep::write() {
  const std::int64_t micro_batches = writer_.request().options.accumulate;
  const std::int64_t left_out = std::max<std::int64_t>(0, micro_batches - simulated_micro_batches);
  for (std::int64_t i = 0; i + 1 < std::min(micro_batches, simulated_micro_batches); ++i) {
    const TaskId before = writer_.last_compute();
    micro_batch(i, false);
    if (i == 1 && left_out > 0) writer_.repeat(left_out, before);
  }
  micro_batch(micro_batches - 1, true);
  zero_update(writer_, groups_);
  gather_weights();
  return writer_.finish();
}

/// Stage 2 reduces every micro-batch, stage 1 the last one: from hooks with overlap_comm, else
/// after backward.
void ZeroStep::micro_batch(std::int64_t index, bool last) {
  const bool reduces = second_stage() || last;
  const bool hooks = second_stage() || options().overlap;
  BackwardPass pass;
  const bool alone = !groups_[0].family.valid() && !groups_[1].family.valid();
  pass.accumulate = index > 0 && (alone || !second_stage());
  if (reduces && hooks) pass.gradient_ready = [this](ParameterId p) { gradient_ready(p); };
  writer_.begin_micro_batch();
  const std::size_t layers = writer_.model().layers.size();
  for (std::size_t l = 0; l < layers; ++l) writer_.forward(l);
  for (std::size_t l = layers; l-- > 0;) writer_.backward(l, pass);
  if (!reduces) return;
  if (!hooks)
    for (std::size_t p = 0; p < writer_.model().parameters.size(); ++p)
      gradient_ready(ParameterId{p});
  finish_reduction(index == 0);
}

/// What does not fit begins a new bucket; a tensor larger than the bucket is reduced where it lies.
void ZeroStep::gradient_ready(ParameterId id) {
  const Parameter& parameter = writer_.model().parameters[id.index()];
  const std::size_t group = zero_group_of(groups_, parameter);
  if (!groups_[group].family.valid()) return;
  OpenBucket& bucket = open_[group];
  const std::int64_t limit = options().reduce_bucket_elements;
  if (bucket.elements > 0 && bucket.elements + parameter.elements > limit) reduce(group);
  writer_.host_work(writer_.request().host->gradient_hook);
  if (parameter.elements <= limit)
    writer_.memory(2 * element_bytes() * static_cast<double>(parameter.elements), Phase::backward,
                   "copy to bucket", writer_.request().host->bucket_copy);
  bucket.elements += parameter.elements;
  if (bucket.elements >= limit) reduce(group);
}

void ZeroStep::reduce(std::size_t index) {
  const ZeroGroup& group = groups_[index];
  OpenBucket& bucket = open_[index];
  const double bytes = element_bytes() * static_cast<double>(bucket.elements);
  // Two buffers: the bucket before must have left its own.
  writer_.wait_for(std::exchange(reducing_, {}));
  if (options().overlap) writer_.join(Phase::backward, "wait for the other bucket");
  TaskId end = reduction_kernel(2 * bytes, "divide gradients", writer_.last_compute());
  // Tensors are flattened once more, and each rank copies its part back.
  end = reduction_kernel(2 * bytes, "flatten gradients", end);
  if (options().all_reduce) {
    CollectivePlace place;
    place.stream = group.stream;
    place.name = "all-reduce bucket" + group.of;
    end = writer_.collective(call(CollectiveOp::all_reduce, group, bucket.elements), place, {end});
  } else {
    end = reduce_to_owners(group, bucket, end);
  }
  if (options().overlap) {
    reducing_ = reduction_kernel(2 * bytes / group.ranks, "keep own gradients", end);
  } else {
    writer_.wait_for(end);
    reduction_kernel(2 * bytes / group.ranks, "keep own gradients", {});
  }
  bucket.begin += bucket.elements;
  bucket.elements = 0;
}

/// One reduction for each partition that the bucket reaches into.
TaskId ZeroStep::reduce_to_owners(const ZeroGroup& group, const OpenBucket& bucket, TaskId after) {
  const std::int64_t owned = std::max<std::int64_t>(1, group.owned());
  TaskId end = after;
  CollectivePlace place;
  place.stream = group.stream;
  place.name = "reduce part of bucket" + group.of;
  for (std::int64_t at = bucket.begin; at < bucket.begin + bucket.elements;) {
    const std::int64_t until = std::min((at / owned + 1) * owned, bucket.begin + bucket.elements);
    end = writer_.collective(call(CollectiveOp::reduce, group, until - at), place, {after});
    at = until;
  }
  return end;
}

/// The last, partly filled buckets; then own gradients of stage 2 are added to earlier ones.
void ZeroStep::finish_reduction(bool first) {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (open_[group].elements > 0) reduce(group);
    open_[group].begin = 0;
  }
  writer_.wait_for(std::exchange(reducing_, {}));
  writer_.join(Phase::backward, "wait for reduced gradients");
  if (first || !second_stage()) return;
  for (const ZeroGroup& group : groups_)
    if (group.family.valid())
      writer_.memory(3 * element_bytes() * static_cast<double>(group.owned()), Phase::backward,
                     "add to own gradients", writer_.request().host->forward_launch);
}

/// all_gather_dp_groups: partitions in slices of gather_bucket_elements, one after the other.
void ZeroStep::gather_weights() {
  for (const ZeroGroup& group : groups_) {
    if (!group.family.valid() || group.elements == 0) continue;
    const std::int64_t slices =
        std::clamp<std::int64_t>(group.padded / options().gather_bucket_elements, 1, group.owned());
    CollectivePlace place;
    place.phase = Phase::optimizer;
    place.stream = group.stream;
    place.name = "all-gather weights" + group.of;
    for (std::int64_t i = 0, done = 0; i < slices; ++i) {
      const std::int64_t slice = group.owned() * (i + 1) / slices - done;
      done += slice;
      writer_.wait_for(
          writer_.collective(call(CollectiveOp::all_gather, group, slice * group.ranks), place,
                             {writer_.last_compute()}));
    }
  }
  writer_.join(Phase::optimizer, "wait for weights");
}

CollectiveCall ZeroStep::call(CollectiveOp op, const ZeroGroup& group,
                              std::int64_t elements) const {
  CollectiveCall call;
  call.op = op;
  call.family = group.family;
  call.element_bytes = static_cast<int>(element_bytes());
  call.bytes = Bytes{elements * call.element_bytes};
  return call;
}

TaskId ZeroStep::reduction_kernel(double bytes, const std::string& name, TaskId after) {
  Task task = writer_.tasks().memory_task(bytes, Phase::backward);
  if (options().overlap) task.stream = writer_.stream("reduction");
  return writer_.issue(task, name, writer_.request().host->forward_launch, {after});
}

}  // namespace dsim
