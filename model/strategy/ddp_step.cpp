#include "model/strategy/ddp_step.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/workload/host_wait.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

/// More micro-batches than these repeat the second one: the first finds no gradient to add to, the
/// last one reduces.
constexpr std::int64_t simulated_micro_batches = 3;

std::string display_name(const Layer& layer, const Kernel& kernel) {
  return kernel.name.starts_with(layer.name) ? kernel.name : layer.name + "." + kernel.name;
}

}  // namespace

DdpStep::DdpStep(const DdpRequest& request, Workload& workload)
    : request_(request),
      model_(*request.model),
      host_(*request.host),
      workload_(workload),
      kernels_(request.precision, *request.gpu, *request.compute) {
  if (!distributed()) return;
  buckets_ = ddp_buckets(model_, request.options);
  bucket_of_.resize(model_.parameters.size());
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    pending_.push_back(buckets_[b].parameters.size());
    for (const ParameterId p : buckets_[b].parameters)
      bucket_of_[p.index()] = static_cast<std::int32_t>(b);
  }
  reduced_.resize(buckets_.size());
  if (!compressed()) return;
  decompression_stream_ = static_cast<std::uint8_t>(program_.streams.size());
  program_.streams.push_back("decompression");
}

Program DdpStep::write() {
  const std::int64_t micro_batches = request_.accumulate;
  const std::int64_t left_out = std::max<std::int64_t>(0, micro_batches - simulated_micro_batches);
  host_work_ = host_.step_fixed;
  for (std::int64_t i = 0; i + 1 < std::min(micro_batches, simulated_micro_batches); ++i) {
    const TaskId before = last_compute_;
    micro_batch(i, false);
    if (i == 1 && left_out > 0) repeat(left_out, before);
  }
  micro_batch(micro_batches - 1, true);
  if (distributed()) finish_reduction();
  optimizer();
  wait_for_input();
  return std::move(program_);
}

void DdpStep::micro_batch(std::int64_t index, bool reduce) {
  if (input_.valid()) waits_.push_back(input_);
  copy_input(request_.input_seconds);
  if (index == 0) broadcast_buffers();
  forward();
  backward(index > 0, reduce);
}

/// Prefetches the next micro-batch, maybe of the next step: it overlaps with this one.
void DdpStep::copy_input(double seconds) {
  if (seconds <= 0) return;
  Task copy;
  copy.kind = TaskKind::delay;
  copy.phase = Phase::input;
  copy.stream = input_stream;
  copy.seconds = seconds;
  input_ = issue(copy, "copy input", host_.forward_launch);
}

/// The next step cannot begin without its first micro-batch: where copies are slow, the step is
/// theirs.
void DdpStep::wait_for_input() {
  if (!input_.valid()) return;
  Task wait;
  wait.kind = TaskKind::join;
  wait.phase = Phase::input;
  wait.stream = compute_stream;
  waits_.push_back(input_);
  issue(wait, "wait for input", 0);
}

/// Buffers follow rank 0 before the first forward of a step: under no_sync() the forward after a
/// reducing backward is the only one that finds require_forward_param_sync set.
void DdpStep::broadcast_buffers() {
  if (!distributed() || !request_.options.broadcast_buffers) return;
  broadcast(model_.buffers, 4, "buffers");
  broadcast(model_.integer_buffers, 8, "counters");
}

/// Flattens into one tensor a dtype, broadcasts it and copies it back tensor by tensor (pytorch
/// torch/csrc/distributed/c10d/comm.cpp, broadcast_coalesced; below its 250 MiB limit).
void DdpStep::broadcast(const std::vector<std::int64_t>& buffers, std::int64_t element_bytes,
                        const char* what) {
  if (buffers.empty()) return;
  const std::int64_t size =
      element_bytes * std::accumulate(buffers.begin(), buffers.end(), std::int64_t{0});
  const TaskId flat = issue(kernels_.memory_task(2.0 * static_cast<double>(size), Phase::forward),
                            std::string("flatten ") + what, host_.bucket_copy);
  CollectiveCall call;
  call.op = CollectiveOp::broadcast;
  call.bytes = Bytes{size};
  call.element_bytes = static_cast<int>(element_bytes);
  waits_.push_back(issue_collective(call, Phase::forward, std::string("broadcast ") + what, flat));
  for (const std::int64_t elements : buffers)
    issue(kernels_.memory_task(2.0 * static_cast<double>(elements * element_bytes), Phase::forward),
          std::string("copy ") + what, host_.bucket_copy);
}

void DdpStep::forward() {
  for (const Layer& layer : model_.layers)
    for (const Kernel& kernel : layer.forward)
      issue(kernels_.task(kernel, Phase::forward), display_name(layer, kernel),
            kernel.launches * host_.forward_launch);
}

void DdpStep::backward(bool accumulate, bool reduce) {
  for (auto layer = model_.layers.rbegin(); layer != model_.layers.rend(); ++layer)
    for (const Kernel& kernel : layer->backward) {
      issue(kernels_.task(kernel, Phase::backward), display_name(*layer, kernel),
            kernel.launches * host_.backward_launch);
      for (const ParameterId parameter : kernel.completes) {
        if (accumulate)  // gradient += new one: two reads, one write
          issue(kernels_.memory_task(3 * gradient_bytes(parameter), Phase::backward),
                "accumulate gradient", host_.backward_launch);
        if (reduce && distributed()) gradient_ready(parameter);
      }
    }
}

/// The hook of a parameter: copies the gradient into its bucket, divided by the number of ranks.
/// With gradient_as_bucket_view it lies there and is divided in place, unless a comm hook divides
/// later.
void DdpStep::gradient_ready(ParameterId parameter) {
  const std::int32_t bucket = bucket_of_[parameter.index()];
  const bool view = request_.options.gradient_as_bucket_view;
  host_work_ += host_.gradient_hook;
  if (!view || !compressed()) {
    Task copy = kernels_.memory_task(2 * gradient_bytes(parameter), Phase::backward);
    copy.bucket = bucket;
    issue(copy, view ? "divide gradient" : "copy to bucket", host_.bucket_copy);
  }
  --pending_[static_cast<std::size_t>(bucket)];
  while (static_cast<std::size_t>(next_bucket_) < buckets_.size() &&
         pending_[static_cast<std::size_t>(next_bucket_)] == 0)
    this->reduce(next_bucket_++);
}

/// Starts the reduction of a bucket behind everything the compute stream holds by now. Compression
/// (fp16_compress_hook) casts and divides before, and casts back on a stream of its own.
void DdpStep::reduce(std::int32_t bucket) {
  const Bucket& content = buckets_[static_cast<std::size_t>(bucket)];
  const double cast_bytes =
      6.0 * static_cast<double>(content.elements);  // 4 on one side, 2 on the other
  CollectiveCall call;
  call.op = CollectiveOp::all_reduce;
  call.bucket = bucket;
  call.bytes = content.bytes;
  call.element_bytes = static_cast<int>(gradient_element_bytes);
  if (compressed()) {
    Task cast = kernels_.memory_task(cast_bytes, Phase::backward);
    cast.bucket = bucket;
    issue(cast, "compress bucket", host_.forward_launch);
    call.element_bytes = 2;
    call.bytes = Bytes{2 * content.elements};
  }
  TaskId end = issue_collective(call, Phase::backward,
                                "all-reduce bucket " + std::to_string(bucket), last_compute_);
  if (compressed()) {
    Task cast = kernels_.memory_task(cast_bytes, Phase::backward);
    cast.bucket = bucket;
    cast.stream = decompression_stream_;
    cast.name = program_.intern("decompress bucket");
    cast.host_seconds = static_cast<float>(host_.forward_launch);
    end = program_.add(cast, {end});
  }
  reduced_[static_cast<std::size_t>(bucket)] = end;
}

/// After the whole backward: in bucket order, the compute stream waits and copies gradients back.
void DdpStep::finish_reduction() {
  require(static_cast<std::size_t>(next_bucket_) == buckets_.size(), "a bucket was never reduced");
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    Task wait;
    wait.kind = TaskKind::join;
    wait.phase = Phase::backward;
    wait.stream = compute_stream;
    wait.bucket = static_cast<std::int32_t>(b);
    if (on_host())
      let_host_wait(wait);  // NCCL's wait() is the stream's, Gloo's and MPI's the host's
    waits_.push_back(reduced_[b]);
    issue(wait, "wait for bucket", 0);
    if (request_.options.gradient_as_bucket_view) continue;
    for (const ParameterId parameter : buckets_[b].parameters) {
      Task copy = kernels_.memory_task(2 * gradient_bytes(parameter), Phase::backward);
      copy.bucket = static_cast<std::int32_t>(b);
      issue(copy, "copy from bucket", host_.bucket_copy);
    }
  }
}

/// Stands for `count` more micro-batches like the last one, which began when `from` ended. The
/// input stream copies for all of them.
void DdpStep::repeat(std::int64_t count, TaskId from) {
  Task skip;
  skip.kind = TaskKind::fast_forward;
  skip.phase = Phase::other;
  skip.stream = compute_stream;
  skip.from = from;
  skip.to = last_compute_;
  skip.count = count;
  issue(skip, "micro-batches 3 to " + std::to_string(count + 2) + ", each as the second", 0);
  copy_input(static_cast<double>(count) * request_.input_seconds);
}

void DdpStep::optimizer() {
  const OptimizerKind& kind = *request_.optimizer;
  const bool mixed = casts_weights(request_.precision);
  const double bytes = (mixed ? kind.bytes_per_parameter_mixed : kind.bytes_per_parameter_full) *
                       static_cast<double>(model_.parameter_count());
  for (int i = 0; i < kind.kernels_per_step; ++i)
    issue(kernels_.memory_task(bytes / kind.kernels_per_step, Phase::optimizer),
          std::string(kind.name), host_.optimizer_launch);
}

double DdpStep::gradient_bytes(ParameterId parameter) const {
  return static_cast<double>(model_.parameters[parameter.index()].elements *
                             gradient_element_bytes);
}

TaskId DdpStep::issue(Task task, const std::string& name, double host_seconds) {
  task.name = program_.intern(name);
  task.host_seconds = static_cast<float>(host_seconds + std::exchange(host_work_, 0));
  if (task.stream != compute_stream) return program_.add(task);
  return last_compute_ = program_.add(task, std::exchange(waits_, {}));
}

TaskId DdpStep::issue_collective(const CollectiveCall& call, Phase phase, const std::string& name,
                                 TaskId after) {
  if (on_host()) return issue_on_host(call, phase, name, after);
  Task task;
  task.kind = TaskKind::collective;
  task.phase = phase;
  task.stream = communication_stream;
  task.bucket = call.bucket;
  task.collective = static_cast<std::uint32_t>(workload_.collectives.size());
  task.name = program_.intern(name);
  task.host_seconds = static_cast<float>(host_.collective_enqueue + std::exchange(host_work_, 0));
  workload_.collectives.push_back(call);
  workload_.collectives.back().family = FamilyId{0};
  workload_.collectives.back().backend = request_.backend;
  return program_.add(task, {after});
}

/// ProcessGroupGloo: one of two threads copies to pinned memory, reduces and copies back, bucket by
/// bucket; ProcessGroupMPI: one thread does all calls, one at a time, and Open MPI's accelerator
/// component stages the GPU's memory (pytorch ProcessGroupGloo.cpp, ProcessGroupMPI.cpp).
TaskId DdpStep::issue_on_host(CollectiveCall call, Phase phase, const std::string& name,
                              TaskId after) {
  const std::size_t threads = request_.backend == CallBackend::gloo ? 2 : 1;
  const std::string thread = std::string(request_.backend == CallBackend::gloo ? "gloo" : "mpi") +
                             " thread " + std::to_string(calls_++ % threads);
  auto found = std::find(program_.streams.begin(), program_.streams.end(), thread);
  const auto stream = static_cast<std::uint8_t>(found - program_.streams.begin());
  if (found == program_.streams.end()) program_.streams.push_back(thread);
  Task copy;
  copy.kind = TaskKind::delay;
  copy.phase = phase;
  copy.stream = stream;
  copy.bucket = call.bucket;
  copy.seconds = static_cast<double>(call.bytes.count) / request_.host_bandwidth;
  copy.name = program_.intern("copy to host");
  copy.host_seconds = static_cast<float>(host_.collective_enqueue + std::exchange(host_work_, 0));
  program_.add(copy, {after});
  call.family = FamilyId{0};
  call.backend = request_.backend;
  Task reduce;
  reduce.kind = TaskKind::collective;
  reduce.phase = phase;
  reduce.stream = stream;
  reduce.bucket = call.bucket;
  reduce.collective = static_cast<std::uint32_t>(workload_.collectives.size());
  reduce.name = program_.intern(name);
  workload_.collectives.push_back(call);
  program_.add(reduce);
  copy.name = program_.intern("copy to GPU");
  copy.host_seconds = 0;
  return program_.add(copy);
}

}  // namespace dsim
