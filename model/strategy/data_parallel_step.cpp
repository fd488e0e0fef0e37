#include "model/strategy/data_parallel_step.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsim {

namespace {

constexpr std::int64_t simulated_micro_batches = 3;
/// Default buffer_size of torch.cuda.comm.broadcast_coalesced and reduce_add_coalesced.
constexpr std::int64_t coalescing_limit = 10 << 20;

}  // namespace

std::vector<CoalescedTensors> coalesce(const std::vector<std::int64_t>& bytes, std::int64_t limit) {
  std::vector<CoalescedTensors> runs;
  for (const std::int64_t size : bytes) {
    if (runs.empty() || runs.back().bytes + size > limit) runs.emplace_back();
    ++runs.back().tensors;
    runs.back().bytes += size;
  }
  return runs;
}

DataParallelStep::DataParallelStep(const TrainingRequest& request,
                                   const DataParallelConstants& constants, const RankGrid& grid,
                                   SharedCalls& calls, bool first)
    : request_(request), constants_(constants), first_(first), writer_(request, grid, calls) {
  all_ = writer_.data_family();
}

Program DataParallelStep::write() {
  const std::int64_t micro_batches = request_.options.accumulate;
  const std::int64_t left_out = std::max<std::int64_t>(0, micro_batches - simulated_micro_batches);
  for (std::int64_t i = 0; i + 1 < std::min(micro_batches, simulated_micro_batches); ++i) {
    const TaskId before = writer_.last_compute();
    micro_batch(i);
    if (i == 1 && left_out > 0) writer_.repeat(left_out, before);
  }
  micro_batch(micro_batches - 1);
  if (first_) writer_.optimizer(static_cast<double>(request_.model->local_parameter_count()));
  return writer_.finish();
}

void DataParallelStep::micro_batch(std::int64_t index) {
  const std::size_t layers = request_.model->layers.size();
  writer_.begin_micro_batch();
  replicate(index);
  for (std::size_t layer = 0; layer < layers; ++layer) writer_.forward(layer);
  move_outputs(CollectiveOp::gather, Phase::forward, "gather outputs", index);
  move_outputs(CollectiveOp::scatter, Phase::backward, "scatter output gradients", index);
  for (std::size_t layer = layers; layer-- > 0;) writer_.backward(layer);
  reduce(index);
}

/// Every module is made again on every GPU, in Python; tensors of a run are put together on GPU 0.
void DataParallelStep::replicate(std::int64_t index) {
  if (request_.ranks == 1) return;
  const Model& model = *request_.model;
  writer_.host_work(static_cast<double>(model.parameters.size()) * request_.ranks *
                    constants_.replica);
  std::vector<std::int64_t> bytes;
  for (const Parameter& parameter : model.parameters) bytes.push_back(4 * parameter.elements);
  const auto broadcast = [&](const std::vector<std::int64_t>& tensors, const std::string& what) {
    std::size_t number = 0;
    for (const CoalescedTensors& run : coalesce(tensors, coalescing_limit)) {
      if (first_ && run.tensors > 1)
        writer_.memory(2.0 * static_cast<double>(run.bytes), Phase::forward, "flatten " + what,
                       request_.host->bucket_copy);
      call(CollectiveOp::broadcast, run.bytes, 4, Phase::forward, "broadcast " + what,
           fmt::format("broadcast {} {} {}", what, index, number++));
    }
  };
  broadcast(bytes, "parameters");
  bytes.clear();
  for (const std::int64_t elements : model.buffers) bytes.push_back(4 * elements);
  broadcast(bytes, "buffers");
}

/// The loss is computed on GPU 0, from all outputs.
void DataParallelStep::move_outputs(CollectiveOp op, Phase phase, const char* name,
                                    std::int64_t index) {
  if (request_.ranks == 1 || request_.model->layers.empty()) return;
  const auto bytes = static_cast<std::int64_t>(request_.model->layers.back().output_bytes);
  if (bytes > 0)
    call(op, bytes * request_.ranks, 4, phase, name, fmt::format("{} {}", name, index));
}

void DataParallelStep::reduce(std::int64_t index) {
  const Model& model = *request_.model;
  std::vector<std::int64_t> bytes;
  for (const Parameter& parameter : model.parameters) bytes.push_back(4 * parameter.elements);
  std::size_t number = 0;
  for (const CoalescedTensors& run : coalesce(bytes, coalescing_limit)) {
    if (request_.ranks > 1) {
      if (run.tensors > 1)
        writer_.memory(2.0 * static_cast<double>(run.bytes), Phase::backward, "flatten gradients",
                       request_.host->bucket_copy);
      call(CollectiveOp::reduce, run.bytes, 4, Phase::backward, "reduce gradients",
           fmt::format("reduce {} {}", index, number++));
    }
    if (first_ && index > 0)  // gradient += new one
      writer_.memory(3.0 * static_cast<double>(run.bytes), Phase::backward, "accumulate gradients",
                     static_cast<double>(run.tensors) * request_.host->backward_launch);
  }
}

void DataParallelStep::call(CollectiveOp op, std::int64_t bytes, int element_bytes, Phase phase,
                            const std::string& name, const std::string& key) {
  CollectiveCall call;
  call.op = op;
  call.family = all_;
  call.bytes = Bytes{bytes};
  call.element_bytes = element_bytes;
  CollectivePlace place;
  place.phase = phase;
  place.name = name;
  place.key = key;
  writer_.wait_for(writer_.collective(call, place, {writer_.last_compute()}));
}

}  // namespace dsim
