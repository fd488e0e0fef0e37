#include "model/strategy/horovod_step.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/strategy/horovod_control.h"
#include "model/strategy/host_copies.h"
#include "model/workload/host_wait.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

/// More micro-batches than these repeat the second one, as with DDP.
constexpr std::int64_t simulated_micro_batches = 3;
/// Tensors one batched copy kernel takes at most (horovod common/ops/cuda/cuda_kernels.h).
constexpr std::size_t tensors_per_copy = 160;

std::vector<std::uint32_t> count_up(std::uint32_t ranks) {
  std::vector<std::uint32_t> all(ranks);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

HorovodStep::HorovodStep(const TrainingRequest& request, const HorovodConstants& constants,
                         const RankGrid& grid, SharedCalls& calls,
                         std::span<const HorovodResponse> responses,
                         std::span<const GradientArrival> arrivals)
    : request_(request),
      options_(request.options.horovod),
      constants_(constants),
      calls_(calls),
      writer_(request, grid, calls),
      responses_(responses),
      arrivals_(arrivals),
      thread_(writer_.stream("horovod")),
      finalizer_(writer_.stream("horovod callbacks")),
      queue_(writer_.stream("horovod queue")) {
  const std::size_t groups =
      std::min<std::size_t>(static_cast<std::size_t>(std::max<std::int64_t>(options_.groups, 0)),
                            request.model->parameters.size());
  missing_.assign(groups, 0);
  held_.resize(groups);
  const std::uint32_t ranks = request.ranks, per_node = request.ranks_per_node;
  if (ranks == 1) return;
  all_ = calls_.family("data parallel", {"data parallel", {count_up(ranks)}});
  if (!two_levels()) return;
  GroupFamily node{"ranks of a node", {}}, across{"ranks in the same place of the nodes", {}};
  for (std::uint32_t first = 0; first < ranks; first += per_node) {
    auto& group = node.groups.emplace_back();
    for (std::uint32_t r = first; r < first + per_node; ++r) group.push_back(r);
  }
  for (std::uint32_t local = 0; local < per_node; ++local) {
    auto& group = across.groups.emplace_back();
    for (std::uint32_t r = local; r < ranks; r += per_node) group.push_back(r);
  }
  node_ = calls_.family(node.name, node);
  across_ = calls_.family(across.name, across);
}

bool HorovodStep::on_host() const { return request_.options.backend != CallBackend::nccl; }

/// Horovod leaves the hierarchical way where nodes differ or there is only one; Adasum on GPUs
/// always goes it.
bool HorovodStep::two_levels() const {
  const bool even = request_.ranks % request_.ranks_per_node == 0;
  const bool several = request_.ranks > request_.ranks_per_node;
  return !on_host() && even && (options_.adasum || (options_.hierarchical && several));
}

bool HorovodStep::waits_for_data() const {
  return on_host() || two_levels() || thread_waits_for_data(options_);
}

double HorovodStep::pageable_rate() const {
  return std::min<double>(host_copy_rate(request_), constants_.pageable_rate);
}

int HorovodStep::wire_bytes() const { return options_.fp16_compression ? 2 : 4; }

std::int64_t HorovodStep::elements(ParameterId parameter) const {
  return request_.model->parameters[parameter.index()].elements;
}

double HorovodStep::thread_seconds(std::size_t tensors, Bytes bytes) const {
  const auto size = static_cast<double>(bytes.count);
  double seconds = constants_.response;
  if (on_host()) {
    const double copies = tensors > 1 ? 2 * size / constants_.buffer_rate : 0;
    return seconds + copies + size / constants_.host_reduction + size / constants_.pageable_rate;
  }
  if (two_levels())
    seconds += size / request_.ranks_per_node *
               (2 / host_copy_rate(request_) + 1 / constants_.host_reduction);
  if (tensors == 1) return seconds;
  const std::size_t copies =
      options_.batched_copies ? (tensors + tensors_per_copy - 1) / tensors_per_copy : tensors;
  return seconds + 2 * static_cast<double>(copies) * constants_.copy_launch;
}

Program HorovodStep::write() {
  const std::int64_t micro_batches = request_.options.accumulate;
  const std::int64_t left_out = std::max<std::int64_t>(0, micro_batches - simulated_micro_batches);
  for (std::int64_t i = 0; i + 1 < std::min(micro_batches, simulated_micro_batches); ++i) {
    const TaskId before = writer_.last_compute();
    micro_batch(i, false);
    if (i == 1 && left_out > 0) writer_.repeat(left_out, before);
  }
  micro_batch(micro_batches - 1, true);
  synchronize();
  update();
  return writer_.finish();
}

void HorovodStep::micro_batch(std::int64_t index, bool last) {
  const std::size_t layers = request_.model->layers.size();
  writer_.begin_micro_batch();
  for (std::size_t layer = 0; layer < layers; ++layer) writer_.forward(layer);
  if (last)
    for (std::size_t p = 0; p < request_.model->parameters.size() && !missing_.empty(); ++p)
      ++missing_[p * missing_.size() / request_.model->parameters.size()];
  BackwardPass pass;
  pass.accumulate = index > 0;
  if (request_.ranks > 1)
    pass.gradient_ready = [&, last](ParameterId parameter) {
      if (last)
        hook(parameter);
      else
        writer_.host_work(constants_.count);
    };
  for (std::size_t layer = layers; layer-- > 0;) writer_.backward(layer, pass);
}

/// In the last pass before the step. Groups are enqueued when their last gradient is there.
void HorovodStep::hook(ParameterId parameter) {
  if (options_.adasum) local_step(parameter);
  if (options_.fp16_compression)
    writer_.memory(6.0 * static_cast<double>(elements(parameter)), Phase::backward,
                   "compress gradient", request_.host->forward_launch);
  const TaskId computed = writer_.last_compute();
  if (missing_.empty()) {
    enqueue(parameter, computed);
  } else {
    const std::size_t group =
        parameter.index() * missing_.size() / request_.model->parameters.size();
    held_[group].emplace_back(parameter, computed);
    writer_.host_work(constants_.count);
    if (--missing_[group] > 0) return;
    for (const auto& [member, when] : held_[group]) enqueue(member, when);
  }
}

/// Adasum reduces what the optimizer changes: the parameter is copied, stepped, and subtracted.
void HorovodStep::local_step(ParameterId parameter) {
  const bool mixed = casts_weights(request_.precision);
  const OptimizerKind& kind = *request_.optimizer;
  const double step = mixed ? kind.bytes_per_parameter_mixed : kind.bytes_per_parameter_full;
  const auto count = static_cast<double>(elements(parameter));
  writer_.memory(8 * count, Phase::optimizer, "keep parameter", request_.host->forward_launch);
  writer_.memory(step * count, Phase::optimizer, "local step", request_.host->optimizer_launch);
  writer_.memory(12 * count, Phase::optimizer, "difference", request_.host->forward_launch);
}

void HorovodStep::enqueue(ParameterId parameter, TaskId computed) {
  EnqueuedGradient gradient;
  gradient.parameter = parameter;
  gradient.bytes = Bytes{elements(parameter) * wire_bytes()};
  Task task;
  task.kind = TaskKind::join;
  task.phase = Phase::backward;
  task.stream = queue_;
  gradient.enqueued = writer_.issue(task, "allreduce_async", constants_.enqueue);
  gradient.computed = computed;
  if (on_host())
    gradient.computed =
        delay(static_cast<double>(gradient.bytes.count) / pageable_rate(),
              writer_.stream("copies to host"), "copy gradient to host", -1, {computed});
  enqueued_.push_back(gradient);
  write_responses();
}

/// Writes responses behind the hook that enqueued the last of their gradients.
void HorovodStep::write_responses() {
  for (; next_response_ < responses_.size(); ++next_response_) {
    const auto& members = responses_[next_response_].members;
    if (*std::max_element(members.begin(), members.end()) >= enqueued_.size()) return;
    respond(responses_[next_response_], static_cast<std::int32_t>(next_response_));
  }
}

std::vector<TaskId> HorovodStep::computed(const HorovodResponse& response) const {
  std::vector<TaskId> tasks;
  for (const std::size_t member : response.members) tasks.push_back(enqueued_[member].computed);
  return tasks;
}

void HorovodStep::respond(const HorovodResponse& response, std::int32_t index) {
  const std::size_t number = static_cast<std::size_t>(index);
  const bool first_of_cycle = number == 0 || responses_[number - 1].cycle != response.cycle;
  if (first_of_cycle) {
    // From the hook that is written last, or from the thread's last work, to the end of the
    // negotiation.
    const std::size_t trigger = enqueued_.size() - 1;
    const double from = std::max(arrivals_[trigger].queued, response.thread_before);
    const double wait = response.negotiated - from - request_.host->launch_latency;
    delay(std::max(0.0, wait), thread_, "NEGOTIATE_ALLREDUCE", index,
          {enqueued_[trigger].enqueued});
  }
  if (waits_for_data()) {
    Task wait;
    wait.kind = TaskKind::join;
    wait.phase = Phase::backward;
    wait.stream = thread_;
    wait.bucket = index;
    writer_.issue(wait, "WAIT_FOR_DATA", 0, computed(response));
  }
  const bool blocks = on_host() || two_levels();  // the rest of the time follows by itself
  const double issuing =
      blocks ? constants_.response.value : thread_seconds(response.members.size(), response.bytes);
  const TaskId issued =
      delay(issuing, thread_, "QUEUE", index, {enqueued_[response.members.back()].enqueued});
  TaskId end;
  if (on_host())
    end = reduce_on_hosts(response, index, issued);
  else if (two_levels())
    end = reduce_in_two_levels(response, index, issued);
  else
    end = reduce_on_gpus(response, index, issued);
  finished_.push_back(delay(constants_.finalize, finalizer_, "callback", index, {end}));
}

TaskId HorovodStep::fused_copy(const char* name, const HorovodResponse& response,
                               std::int32_t index, const std::vector<TaskId>& after) {
  const std::size_t tensors = response.members.size();
  Kernel kernel;
  kernel.kind = KernelKind::memory;
  kernel.bytes = 2.0 * static_cast<double>(response.bytes.count);
  kernel.launches = static_cast<int>(
      options_.batched_copies ? (tensors + tensors_per_copy - 1) / tensors_per_copy : tensors);
  Task task = writer_.tasks().task(kernel, Phase::backward);
  task.stream = communication_stream;
  task.bucket = index;
  return writer_.issue(task, name, 0, after);
}

TaskId HorovodStep::reduce_on_gpus(const HorovodResponse& response, std::int32_t index,
                                   TaskId issued) {
  std::vector<TaskId> after = computed(response);
  after.push_back(issued);
  const bool fused = response.members.size() > 1;
  if (fused) fused_copy("MEMCPY_IN_FUSION_BUFFER", response, index, after);
  const TaskId end = call(CollectiveOp::all_reduce, all_, response.bytes.count, "NCCL_ALLREDUCE",
                          index, CallBackend::nccl, after);
  return fused ? fused_copy("MEMCPY_OUT_FUSION_BUFFER", response, index, {}) : end;
}

/// Reduce-scatter in the node, the rank's part to the host, all-reduce of the hosts, and back. The
/// thread waits until the part is back on the GPU.
TaskId HorovodStep::reduce_in_two_levels(const HorovodResponse& response, std::int32_t index,
                                         TaskId issued) {
  std::vector<TaskId> after = computed(response);
  after.push_back(issued);
  const std::int64_t size = response.bytes.count;
  const auto part = static_cast<double>(size) / request_.ranks_per_node;
  const bool fused = response.members.size() > 1;
  if (fused) fused_copy("MEMCPY_IN_FUSION_BUFFER", response, index, after);
  if (node_.valid())
    call(CollectiveOp::reduce_scatter, node_, size, "NCCL_REDUCESCATTER", index, CallBackend::nccl,
         after);
  const double copy = part / host_copy_rate(request_);
  delay(copy, communication_stream, "MEMCPY_IN_HOST_BUFFER", index, after);
  if (options_.adasum && across_.valid()) {
    const std::uint32_t nodes = request_.ranks / request_.ranks_per_node;
    // Dot products and norms read both vectors, at each level half of what the last one had; then
    // three numbers a tensor are summed over the ranks of the level.
    const double levels = std::bit_width(nodes - 1);
    const double messages = levels * (levels + 1) / 2 * static_cast<double>(constants_.mpi_message);
    delay(2 * part / constants_.buffer_rate + messages, communication_stream, "ADASUM_DOT_PRODUCTS",
          index, {});
  }
  if (across_.valid())
    call(CollectiveOp::all_reduce, across_, static_cast<std::int64_t>(std::ceil(part)),
         options_.adasum ? "MPI_ADASUM_ALLREDUCE" : "MPI_ALLREDUCE", index, CallBackend::mpi, {});
  TaskId end = delay(copy, communication_stream, "MEMCPY_OUT_HOST_BUFFER", index, {});
  Task wait;
  wait.kind = TaskKind::join;
  wait.phase = Phase::backward;
  wait.stream = thread_;
  wait.bucket = index;
  writer_.issue(wait, "wait for the hosts", 0, {end});
  if (node_.valid())
    end =
        call(CollectiveOp::all_gather, node_, size, "NCCL_ALLGATHER", index, CallBackend::nccl, {});
  return fused ? fused_copy("MEMCPY_OUT_FUSION_BUFFER", response, index, {}) : end;
}

/// The thread itself copies, reduces and copies back.
TaskId HorovodStep::reduce_on_hosts(const HorovodResponse& response, std::int32_t index,
                                    TaskId issued) {
  const auto size = static_cast<double>(response.bytes.count);
  const bool fused = response.members.size() > 1;
  TaskId before = issued;
  if (fused)
    before = delay(size / constants_.buffer_rate, thread_, "MEMCPY_IN_FUSION_BUFFER", index, {});
  const TaskId reduced =
      call(CollectiveOp::all_reduce, all_, response.bytes.count,
           request_.options.backend == CallBackend::gloo ? "GLOO_ALLREDUCE" : "MPI_ALLREDUCE",
           index, request_.options.backend, {before});
  if (fused)
    before =
        delay(size / constants_.buffer_rate, thread_, "MEMCPY_OUT_FUSION_BUFFER", index, {reduced});
  else
    before = reduced;
  return delay(size / pageable_rate(), thread_, "copy gradient to GPU", index, {before});
}

TaskId HorovodStep::call(CollectiveOp op, FamilyId family, std::int64_t bytes, const char* name,
                         std::int32_t index, CallBackend backend,
                         const std::vector<TaskId>& after) {
  CollectiveCall call;
  call.op = op;
  call.family = family;
  call.bytes = Bytes{bytes};
  call.element_bytes = wire_bytes();
  call.bucket = index;
  call.backend = backend;
  Task task;
  task.kind = TaskKind::collective;
  task.phase = Phase::backward;
  task.stream = communication_stream;
  task.bucket = index;
  task.collective = calls_.call(call);
  return writer_.issue(task, name, 0, after);
}

TaskId HorovodStep::delay(double seconds, std::uint8_t stream, const char* name, std::int32_t index,
                          const std::vector<TaskId>& after) {
  Task task;
  task.kind = TaskKind::delay;
  task.phase = Phase::backward;
  task.stream = stream;
  task.bucket = index;
  task.seconds = seconds;
  return writer_.issue(task, name, 0, after);
}

/// optimizer.step(): the host waits for every handle, then sets and decompresses the gradients.
void HorovodStep::synchronize() {
  if (request_.ranks == 1) return;
  for (const TaskId task : finished_) writer_.wait_for(task);
  synchronized_ = writer_.join(Phase::backward, "synchronize");
  let_host_wait(writer_.program().tasks[synchronized_.index()]);
  writer_.host_work(static_cast<double>(enqueued_.size()) * constants_.synchronize);
  if (!options_.fp16_compression) return;
  for (const EnqueuedGradient& gradient : enqueued_)
    writer_.memory(6.0 * static_cast<double>(elements(gradient.parameter)), Phase::backward,
                   "decompress gradient", request_.host->forward_launch);
}

void HorovodStep::update() {
  const auto count = static_cast<double>(request_.model->local_parameter_count());
  if (!options_.adasum || request_.ranks == 1) return writer_.optimizer(count);
  writer_.memory(12 * count, Phase::optimizer, "add difference",
                 static_cast<double>(enqueued_.size()) * request_.host->forward_launch);
}

}  // namespace dsim
