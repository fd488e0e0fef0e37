#include "model/strategy/zero3_step.h"

#include <algorithm>
#include <utility>

namespace dsim {

namespace {

/// More micro-batches than these repeat the second one.
constexpr std::int64_t simulated_micro_batches = 3;

}  // namespace

Zero3Step::Zero3Step(StepWriter& writer, const ZeroGroups& groups, Zero3Trace trace)
    : writer_(writer), groups_(groups), trace_(std::move(trace)) {}

Program Zero3Step::write() {
  const std::int64_t micro_batches = writer_.request().options.accumulate;
  const std::int64_t simulated = std::min(micro_batches, simulated_micro_batches);
  for (std::int64_t i = 0; i < simulated; ++i) {
    const TaskId before = writer_.last_compute();
    micro_batch(i == 0);
    if (i == 1 && micro_batches > simulated) writer_.repeat(micro_batches - simulated, before);
  }
  zero_update(writer_, groups_);
  gather_persistent();
  return writer_.finish();
}

void Zero3Step::micro_batch(bool first) {
  BackwardPass pass;
  pass.gradient_ready = [this, first](ParameterId p) { gradient_ready(p, first); };
  writer_.begin_micro_batch();
  start_ = writer_.last_compute();
  gathered_.assign(trace_.gathers.size(), {});
  const std::size_t layers = writer_.model().layers.size();
  for (std::size_t u = 0; u < trace_.uses.size(); ++u) {
    before(u, u < layers ? Phase::forward : Phase::backward);
    if (u < layers)
      writer_.forward(trace_.uses[u].layer);
    else
      writer_.backward(trace_.uses[u].layer, pass);
  }
  for (std::size_t group = 0; group < groups_.size(); ++group)
    if (open_[group] > 0) reduce(group, first);
  writer_.wait_for(std::exchange(reducing_, {}));
  writer_.join(Phase::backward, "wait for partitioned gradients");
}

void Zero3Step::before(std::size_t use, Phase phase) {
  for (const std::size_t gather : trace_.uses[use].starts) this->gather(gather, phase);
  for (const std::size_t gather : trace_.uses[use].waits)
    for (const TaskId task : gathered_[gather]) writer_.wait_for(task);
  // Hooks of every module before and after it, in Python.
  writer_.host_work(static_cast<double>(trace_.uses[use].modules.size()) * 2 *
                    writer_.request().host->forward_launch);
}

/// Parts are put into one buffer, gathered, and seen as tensors where they lie. The host is held
/// back when it is two gathers ahead of the GPU (ongoing fetch events), so a gather begins no
/// sooner than the compute stream has come to where the one before was issued.
void Zero3Step::gather(std::size_t index, Phase phase) {
  const Zero3Gather& gather = trace_.gathers[index];
  const std::string name =
      "all-gather " + trace_.modules[gather.modules.front()].name +
      (gather.modules.size() > 1 ? " .. " + trace_.modules[gather.modules.back()].name : "");
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const std::int64_t elements = gather.elements[group];
    if (elements == 0 || !groups_[group].family.valid()) continue;
    const double own = static_cast<double>(elements) / groups_[group].ranks;
    const TaskId packed =
        side_kernel("all-gather", 2 * element_bytes() * own, phase, "all-gather copy-in", start_);
    gathered_[index].push_back(
        collective(CollectiveOp::all_gather, group, elements, phase, name, packed));
  }
  start_ = writer_.last_compute();
}

/// Gradients are copied into the bucket; a full one is reduced and scattered.
void Zero3Step::gradient_ready(ParameterId id, bool first) {
  const Parameter& parameter = writer_.model().parameters[id.index()];
  const std::size_t group = zero_group_of(groups_, parameter);
  if (!groups_[group].family.valid()) {
    if (!first) writer_.accumulate(static_cast<double>(parameter.elements));
    return;
  }
  const std::int64_t limit = writer_.request().options.zero.reduce_bucket_elements;
  if (open_[group] > 0 && open_[group] + parameter.elements > limit) reduce(group, first);
  writer_.host_work(writer_.request().host->gradient_hook);
  writer_.memory(2 * element_bytes() * static_cast<double>(parameter.elements), Phase::backward,
                 "copy to bucket", writer_.request().host->bucket_copy);
  open_[group] += parameter.elements;
}

/// One bucket at a time: compute goes on when the one before has ended.
void Zero3Step::reduce(std::size_t group, bool first) {
  const std::int64_t elements = std::exchange(open_[group], 0);
  const std::int64_t ranks = groups_[group].ranks;
  const std::int64_t padded = (elements + ranks - 1) / ranks * ranks;
  const double bytes = element_bytes() * static_cast<double>(padded);
  if (reducing_.valid()) {
    writer_.wait_for(std::exchange(reducing_, {}));
    writer_.join(Phase::backward, "wait for the other bucket");
  }
  // Every tensor is cut into the ranks' parts, which are put together by rank; then divided.
  const TaskId packed = side_kernel("reduction", 4 * bytes, Phase::backward,
                                    "reduce-scatter copy-in", writer_.last_compute());
  const TaskId end = collective(CollectiveOp::reduce_scatter, group, padded, Phase::backward,
                                "reduce-scatter bucket" + groups_[group].of, packed);
  reducing_ = side_kernel("reduction", (first ? 2 : 3) * bytes / static_cast<double>(ranks),
                          Phase::backward, "keep own gradients", end);
}

/// Small tensors are whole everywhere: they are gathered once, after the step.
void Zero3Step::gather_persistent() {
  const std::array<std::int64_t, 2> elements{trace_.persistent, trace_.persistent_experts};
  for (std::size_t group = 0; group < groups_.size(); ++group)
    if (elements[group] > 0 && groups_[group].family.valid())
      writer_.wait_for(collective(CollectiveOp::all_gather, group, elements[group],
                                  Phase::optimizer, "all-gather persistent parameters",
                                  writer_.last_compute()));
  writer_.join(Phase::optimizer, "wait for persistent parameters");
}

TaskId Zero3Step::collective(CollectiveOp op, std::size_t group, std::int64_t elements, Phase phase,
                             const std::string& name, TaskId after) {
  const std::int64_t ranks = groups_[group].ranks;
  CollectiveCall call;
  call.op = op;
  call.family = groups_[group].family;
  call.element_bytes = static_cast<int>(element_bytes());
  call.bytes = Bytes{(elements + ranks - 1) / ranks * ranks * call.element_bytes};
  CollectivePlace place;
  place.phase = phase;
  place.stream = groups_[group].stream;
  place.name = name;
  return writer_.collective(call, place, {after});
}

TaskId Zero3Step::side_kernel(const char* stream, double bytes, Phase phase,
                              const std::string& name, TaskId after) {
  Task task = writer_.tasks().memory_task(bytes, phase);
  task.stream = writer_.stream(stream);
  return writer_.issue(task, name, writer_.request().host->forward_launch, {after});
}

}  // namespace dsim
