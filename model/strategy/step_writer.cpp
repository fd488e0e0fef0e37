#include "model/strategy/step_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/base/error.h"

namespace dsim {

namespace {

std::string display_name(const std::string& layer, const Kernel& kernel) {
  return layer.empty() || kernel.name.starts_with(layer) ? kernel.name : layer + "." + kernel.name;
}

const char* words(ParallelGroup group) {
  switch (group) {
    case ParallelGroup::tensor:
      return "tensor parallel";
    case ParallelGroup::context:
      return "context parallel";
    case ParallelGroup::expert:
      return "expert parallel";
    case ParallelGroup::expert_tensor:
      return "expert tensor parallel";
  }
  return "";
}

}  // namespace

std::size_t kernel_level_tasks(const Model& model, std::int64_t times) {
  std::size_t once = 2 * model.parameters.size();
  for (const Layer& layer : model.layers) once += layer.forward.size() + layer.backward.size();
  return once * static_cast<std::size_t>(times);
}

StepWriter::StepWriter(const TrainingRequest& request, const RankGrid& grid, SharedCalls& calls,
                       std::uint32_t stage)
    : request_(request),
      host_(*request.host),
      grid_(grid),
      calls_(calls),
      stage_(stage),
      kernels_(request.precision, *request.gpu, *request.compute),
      blocks_(request) {
  const auto written = std::min<std::int64_t>(3, request.options.accumulate);
  merged_ = request.time_block && kernel_level_tasks(*request.model, written) > most_kernel_tasks;
  host_work_ = host_.step_fixed;
  if (!request.options.fused_gradient_accumulation)  // two reads, one write
    accumulation_bytes_ = 3 * gradient_element_bytes_of(request);
}

void StepWriter::begin_micro_batch() {
  wait_for(input_);
  copy_input(request_.input_seconds);
}

/// Prefetches the next micro-batch, maybe of the next step: it overlaps with this one.
void StepWriter::copy_input(double seconds) {
  if (seconds <= 0) return;
  Task copy;
  copy.kind = TaskKind::delay;
  copy.phase = Phase::input;
  copy.stream = input_stream;
  copy.seconds = seconds;
  input_ = issue(copy, "copy input", host_.forward_launch);
}

void StepWriter::forward(std::size_t index) {
  const Layer& layer = model().layers[index];
  if (merged_)
    block(blocks_.time(layer.forward, Phase::forward, stage_), Phase::forward,
          layer.name + " forward");
  else
    kernels(layer.forward, Phase::forward, layer.name);
}

void StepWriter::backward(std::size_t index, const BackwardPass& pass) {
  const Layer& layer = model().layers[index];
  if (merged_) {
    block(blocks_.time(layer.backward, Phase::backward, stage_), Phase::backward,
          layer.name + " backward");
    double added = 0;
    for (const Kernel& kernel : layer.backward)
      for (const ParameterId parameter : kernel.completes) added += elements(parameter);
    if (pass.accumulate) accumulate(added);
  }
  for (const Kernel& kernel : layer.backward) {
    if (!merged_) kernels({&kernel, 1}, Phase::backward, layer.name);
    for (const ParameterId parameter : kernel.completes) {
      if (!merged_ && pass.accumulate) accumulate(elements(parameter));
      if (pass.gradient_ready) pass.gradient_ready(parameter);
    }
  }
}

void StepWriter::kernels(std::span<const Kernel> kernels, Phase phase, const std::string& layer) {
  for (const Kernel& kernel : kernels) {
    if (kernel.kind == KernelKind::communication) {
      communication(kernel, phase, layer);
      continue;
    }
    std::erase_if(hidden_, [this](Hidden& h) {
      if (h.left-- > 0) return false;
      wait_for(h.task);
      return true;
    });
    issue(kernels_.task(kernel, phase), display_name(layer, kernel), launch_seconds(kernel, phase));
  }
}

void StepWriter::communication(const Kernel& kernel, Phase phase, const std::string& layer) {
  CollectiveCall call;
  call.op = kernel.op;
  call.family = family(kernel.group);
  call.bytes = Bytes{static_cast<std::int64_t>(kernel.bytes)};
  call.element_bytes = kernel.element_bytes;
  CollectivePlace place;
  place.phase = phase;
  place.name = display_name(layer, kernel);
  place.stream = stream(words(kernel.group));
  if (!call.family.valid()) return;
  std::vector<TaskId> after = waits_;
  after.push_back(last_compute_);
  for (const Hidden& h : hidden_)
    if (h.left == 0) after.push_back(h.task);
  const double host = replays(phase) ? 0 : static_cast<double>(host_.collective_enqueue);
  hidden_.push_back({send(call, place, after, host), kernel.hidden_behind});
}

/// Forward kernels in a backward pass are recomputation, which Python issues.
double StepWriter::launch_seconds(const Kernel& kernel, Phase phase) {
  if (replays(phase)) {
    if (std::exchange(replayed_, phase) == phase) return 0;
    return host_.graph_launch;
  }
  const bool autograd = phase == Phase::backward && kernel.pass != Pass::forward;
  const double launch = autograd ? host_.backward_launch.value : host_.forward_launch.value;
  return kernel.launches * launch;
}

bool StepWriter::replays(Phase phase) {
  return request_.options.cuda_graphs && (phase == Phase::forward || phase == Phase::backward);
}

void StepWriter::block(const BlockTime& time, Phase phase, const std::string& name,
                       HostPace pace) {
  for (const Hidden& h : std::exchange(hidden_, {})) wait_for(h.task);
  if (time.seconds <= 0) return;
  Task task;
  task.kind = TaskKind::kernel;
  task.phase = phase;
  task.stream = compute_stream;
  task.seconds = time.seconds;
  task.communication_seconds = time.communication_seconds;
  task.sm_share = time.sm_share;
  task.hbm_bytes = time.hbm_bytes;
  if (pace == HostPace::keeps_step) {
    issue(task, name, 0);
    Task rest;
    rest.kind = TaskKind::delay;
    rest.stream = compute_stream;
    rest.seconds = time.host_seconds - time.seconds;
    if (!replays(phase) && rest.seconds > 0) issue(rest, "launches of " + name, 0);
    return;
  }
  const double first = replays(phase) ? host_.graph_launch : host_.forward_launch;
  issue(task, name, first);
  if (replays(phase) || time.host_seconds <= first) return;
  // The block begins when its first kernel has been issued and ends no sooner than its last has.
  Task rest;
  rest.kind = TaskKind::join;
  rest.phase = phase;
  rest.stream = compute_stream;
  issue(rest, "last launch of " + name, time.host_seconds - first);
}

void StepWriter::accumulate(double elements) {
  if (accumulation_bytes_ <= 0 || elements <= 0) return;
  memory(accumulation_bytes_ * elements, Phase::backward, "accumulate gradient",
         replays(Phase::backward) ? 0.0 : host_.backward_launch.value);
}

void StepWriter::repeat(std::int64_t count, TaskId from) {
  Task skip;
  skip.kind = TaskKind::fast_forward;
  skip.phase = Phase::other;
  skip.stream = compute_stream;
  skip.from = from;
  skip.to = last_compute_;
  skip.count = count;
  issue(skip, fmt::format("{} more micro-batches, each as the last", count), 0);
  copy_input(static_cast<double>(count) * request_.input_seconds);
}

void StepWriter::clip_gradients(double parameters, double element_bytes, FamilyId over) {
  memory(element_bytes * parameters, Phase::optimizer, "gradient norm", host_.optimizer_launch);
  CollectiveCall call;
  call.family = over;
  call.bytes = Bytes{4};
  CollectivePlace place;
  place.phase = Phase::optimizer;
  place.name = "all-reduce gradient norm";
  place.key = "gradient norm";
  wait_for(collective(call, place, {last_compute_}));
  memory(2 * element_bytes * parameters, Phase::optimizer, "clip gradients",
         host_.optimizer_launch);
}

void StepWriter::optimizer(double parameters) {
  const OptimizerKind& kind = *request_.optimizer;
  const bool mixed = casts_weights(request_.precision);
  const double bytes =
      (mixed ? kind.bytes_per_parameter_mixed : kind.bytes_per_parameter_full) * parameters;
  for (int i = 0; i < kind.kernels_per_step; ++i)
    memory(bytes / kind.kernels_per_step, Phase::optimizer, std::string(kind.name),
           host_.optimizer_launch);
}

/// The next step cannot begin without its first micro-batch: where copies are slow, the step is
/// theirs.
Program StepWriter::finish() {
  for (const Hidden& h : std::exchange(hidden_, {})) wait_for(h.task);
  if (input_.valid() || !waits_.empty()) {
    wait_for(input_);
    join(Phase::input, "wait for input");
  }
  return std::move(program_);
}

TaskId StepWriter::issue(Task task, const std::string& name, double host_seconds,
                         const std::vector<TaskId>& after) {
  task.name = program_.intern(name);
  task.host_seconds =
      static_cast<float>(std::max(0.0, host_seconds + std::exchange(host_work_, 0)));
  std::vector<TaskId> dependencies = after;
  if (task.stream == compute_stream) {
    dependencies.insert(dependencies.end(), waits_.begin(), waits_.end());
    waits_.clear();
  }
  std::sort(dependencies.begin(), dependencies.end());
  dependencies.erase(std::unique(dependencies.begin(), dependencies.end()), dependencies.end());
  std::erase_if(dependencies, [&](TaskId d) {
    return !d.valid() || program_.tasks[d.index()].stream == task.stream;
  });
  const TaskId id = program_.add(task, dependencies);
  if (task.stream == compute_stream) last_compute_ = id;
  return id;
}

TaskId StepWriter::memory(double bytes, Phase phase, const std::string& name, double host_seconds,
                          std::int32_t bucket) {
  Task task = kernels_.memory_task(bytes, phase);
  task.bucket = bucket;
  return issue(task, name, host_seconds);
}

TaskId StepWriter::join(Phase phase, const std::string& name, std::int32_t bucket) {
  Task task;
  task.kind = TaskKind::join;
  task.phase = phase;
  task.stream = compute_stream;
  task.bucket = bucket;
  return issue(task, name, 0);
}

TaskId StepWriter::collective(const CollectiveCall& call, const CollectivePlace& place,
                              const std::vector<TaskId>& after) {
  return send(call, place, after, host_.collective_enqueue);
}

TaskId StepWriter::send(CollectiveCall call, const CollectivePlace& place,
                        const std::vector<TaskId>& after, double host_seconds) {
  const bool silent = !call.family.valid() || call.bytes.count <= 0;
  if (silent && after.size() == 1) return after.front();
  Task task;
  task.kind = silent ? TaskKind::join : TaskKind::collective;
  task.phase = place.phase;
  task.stream = place.stream;
  task.bucket = call.bucket;
  if (silent) return issue(task, place.name, 0, after);
  call.backend = request_.options.backend;
  task.collective = place.key.empty() ? calls_.call(call) : calls_.call(place.key, call);
  return issue(task, place.name, host_seconds, after);
}

TaskId StepWriter::join_call(std::uint32_t call, const CollectivePlace& place,
                             const std::vector<TaskId>& after) {
  Task task;
  task.kind = TaskKind::collective;
  task.phase = place.phase;
  task.stream = place.stream;
  task.collective = call;
  return issue(task, place.name, host_.collective_enqueue, after);
}

void StepWriter::wait_for(TaskId task) {
  if (task.valid()) waits_.push_back(task);
}

std::uint8_t StepWriter::stream(const std::string& name) {
  auto& streams = program_.streams;
  const auto found = std::find(streams.begin(), streams.end(), name);
  if (found != streams.end()) return static_cast<std::uint8_t>(found - streams.begin());
  require(streams.size() < 255, "a program has too many streams");
  streams.push_back(name);
  return static_cast<std::uint8_t>(streams.size() - 1);
}

std::string StepWriter::at_stage(const char* name) const {
  if (grid_.parallelism().pipeline <= 1) return name;
  return fmt::format("{}, stage {}", name, stage_);
}

FamilyId StepWriter::family(ParallelGroup group) {
  std::optional<FamilyId>& known = group_families_[static_cast<std::size_t>(group)];
  if (known) return *known;
  known = calls_.family(at_stage(words(group)), [&] {
    switch (group) {
      case ParallelGroup::tensor:
        return grid_.tensor_groups(stage_);
      case ParallelGroup::context:
        return grid_.context_groups(stage_);
      case ParallelGroup::expert:
        return grid_.expert_groups(stage_);
      case ParallelGroup::expert_tensor:
        break;
    }
    return grid_.expert_tensor_groups(stage_);
  });
  return *known;
}

FamilyId StepWriter::data_family() {
  return calls_.family(at_stage("data parallel"), [this] { return grid_.data_groups(stage_); });
}

FamilyId StepWriter::expert_data_family() {
  return calls_.family(at_stage("expert data parallel"),
                       [this] { return grid_.expert_data_groups(stage_); });
}

FamilyId StepWriter::all_ranks() {
  return calls_.family("all ranks", [this] {
    GroupFamily family{"all ranks", {std::vector<std::uint32_t>(grid_.ranks())}};
    std::iota(family.groups[0].begin(), family.groups[0].end(), 0u);
    return family;
  });
}

double StepWriter::elements(ParameterId parameter) const {
  return static_cast<double>(model().parameters[parameter.index()].elements);
}

double StepWriter::gradient_bytes(ParameterId parameter) const {
  return elements(parameter) * gradient_element_bytes_of(request_);
}

}  // namespace dsim
