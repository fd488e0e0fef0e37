#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/compute/memory.h"
#include "model/simulate/elasticities.h"
#include "model/simulate/experiment.h"
#include "model/simulate/link_loads.h"
#include "model/simulate/describe_training.h"
#include "model/simulate/scenario.h"
#include "model/simulate/timeline_of.h"
#include "sim/base/error.h"
#include "sim/base/quantity.h"

namespace dsim {

namespace {

struct Window {
  double begin = 0, end = 0;
};

// From the start of the first to the end of the last kernel of a phase.
Window phase_window(const Outcome& outcome, Phase phase) {
  const Program& program =
      outcome.workload->programs[outcome.workload->classes[outcome.slowest].program];
  const ClassExecution& execution = outcome.execution.classes[outcome.slowest];
  Window window{1e18, 0};
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const Task& task = program.tasks[t];
    if (task.stream != compute_stream || task.phase != phase || task.kind != TaskKind::kernel)
      continue;
    window.begin = std::min(window.begin, (execution.tasks[t].start - execution.begin).seconds());
    window.end = std::max(window.end, (execution.tasks[t].end - execution.begin).seconds());
  }
  return window;
}

void describe(const Scenario& s, const Experiment& experiment, const Outcome& outcome, Report& r) {
  const Topology& topology = *experiment.topology;
  r.model_name = s.kind->name;
  r.model_title = outcome.model->title;
  r.topology = topology.description();
  r.precision = name_of(s.request.precision);
  r.optimizer = s.optimizer.name;
  r.fidelity = name_of(s.fidelity);
  r.gpu_title = s.gpu.title;
  r.sample_unit = outcome.model->sample_unit;
  r.parameters = outcome.model->parameter_count();
  r.micro_batch = outcome.model->samples;
  r.sequence = outcome.model->tokens_per_sample;
  r.accumulate = s.training.accumulate;
  r.gpus = s.ranks;
  std::vector<std::size_t> nodes;
  for (const GpuId gpu : s.plans->gpus()) nodes.push_back(topology.node_of(gpu));
  std::sort(nodes.begin(), nodes.end());
  r.nodes = std::unique(nodes.begin(), nodes.end()) - nodes.begin();
  r.rank_classes = static_cast<std::uint32_t>(outcome.workload->classes.size());
  r.parallel = s.training.parallel;
  r.framework = describe_training(s.training, s.ranks);

  // What the largest gradient bucket uses stands for the job.
  std::int64_t largest = -1;
  for (std::size_t i = 0; i < outcome.workload->collectives.size(); ++i) {
    const CollectiveCall& call = outcome.workload->collectives[i];
    if (call.bucket < 0 || call.bytes.count <= largest) continue;
    largest = call.bytes.count;
    const Call& run = outcome.calls->call(i);
    r.collective = fmt::format("{}/{}, {} channels", run.algorithm,
                               name_of(run.protocol), run.channels);
  }
}

void measure(const Scenario& s, const Outcome& outcome, Report& r) {
  r.step_time_s = outcome.step_s;
  r.parts = outcome.parts;
  r.communication_s = outcome.communication_s;
  const double samples = static_cast<double>(outcome.model->samples * s.training.accumulate) *
                         s.training.parallel.data;
  r.throughput = samples / outcome.step_s;
  r.tokens_per_s = r.throughput * static_cast<double>(outcome.model->tokens_per_sample);
  const double flops = outcome.model->model_flops * static_cast<double>(s.training.accumulate) /
                       s.training.parallel.pipeline;
  r.mfu = flops / outcome.step_s / s.gpu.peak(s.request.precision);
  r.mfu_formula = fmt::format("{:.4g} model TFLOP a GPU and step / {} / {:.4g} TFLOP/s dense {}",
                              flops * 1e-12, format_time(outcome.step_s),
                              s.gpu.peak(s.request.precision) * 1e-12,
                              name_of(s.request.precision));
  const MemoryRequest memory{outcome.model.get(), s.request.precision, s.request.half_weights,
                             &s.optimizer,        s.training,          s.ranks,
                             &s.gpu};
  r.memory_by_stage = memory_by_stage(memory);
  r.memory = memory_footprint(memory);
  if (!r.memory.fits()) r.memory_advice = memory_advice(memory);
}

void list_buckets(const Outcome& outcome, Report& r) {
  const Program& program =
      outcome.workload->programs[outcome.workload->classes[outcome.slowest].program];
  const ClassExecution& execution = outcome.execution.classes[outcome.slowest];
  for (const Bucket& bucket : outcome.buckets) {
    r.buckets.push_back({bucket.elements, static_cast<double>(bucket.bytes.count), 0, 0, 0});
    r.gradient_bytes += static_cast<double>(bucket.bytes.count);
  }
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const Task& task = program.tasks[t];
    if (task.kind != TaskKind::collective || task.bucket < 0) continue;
    const CollectiveCall& call = outcome.workload->collectives[task.collective];
    if (call.op != CollectiveOp::all_reduce && call.op != CollectiveOp::reduce_scatter) continue;
    const auto index = static_cast<std::size_t>(task.bucket);
    if (index >= r.buckets.size()) r.buckets.resize(index + 1);
    BucketReport& bucket = r.buckets[index];
    if (bucket.bytes == 0) {  // not DDP's: as its collective says
      bucket.bytes = static_cast<double>(call.bytes.count);
      bucket.elements = call.bytes.count / call.element_bytes;
      r.gradient_bytes += bucket.bytes;
    }
    const TaskRecord& record = execution.tasks[t];
    Time ready = execution.begin;
    for (std::uint32_t i = 0; i < task.dependency_count; ++i)
      ready = std::max(
          ready, execution.tasks[program.dependencies[task.first_dependency + i].index()].end);
    bucket.ready_s = (ready - execution.begin).seconds();
    bucket.start_s = (record.start - execution.begin).seconds();
    bucket.end_s = (record.end - execution.begin).seconds();
  }
}

// How busy what is shared was. Link load: bytes over achievable rate, of the busiest link.
void load_resources(const Scenario& s, const Outcome& outcome, Report& r) {
  const Program& program =
      outcome.workload->programs[outcome.workload->classes[outcome.slowest].program];
  const ClassExecution& execution = outcome.execution.classes[outcome.slowest];
  const Window backward = phase_window(outcome, Phase::backward);
  const double length = std::max(1e-12, backward.end - backward.begin);
  const auto within = [&](double begin, double end) {
    return std::max(0.0, std::min(end, backward.end) - std::max(begin, backward.begin));
  };
  std::map<std::string, ResourceLoad> loads;
  const StepParts& p = outcome.parts;
  loads["GPU compute"] = {"GPU compute",
                          (p.forward_s + p.backward_s + p.optimizer_s) / r.step_time_s, 0};
  double hbm = 0, kernels_backward = 0;
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const Task& task = program.tasks[t];
    if (task.kind != TaskKind::kernel) continue;
    hbm += task.hbm_bytes;
    if (task.stream == compute_stream)
      kernels_backward += within((execution.tasks[t].start - execution.begin).seconds(),
                                 (execution.tasks[t].end - execution.begin).seconds());
  }
  loads["GPU compute"].load_backward = kernels_backward / length;
  // Micro-batches that were counted but not replayed move the same bytes as the one before them.
  if (is_plain_ddp(s.training))
    hbm *= static_cast<double>(s.training.accumulate) /
           static_cast<double>(std::min<std::int64_t>(3, s.training.accumulate));
  loads["HBM"] = {"HBM", hbm / (s.gpu.hbm_bandwidth * s.compute.memory_efficiency) / r.step_time_s,
                  0};
  loads["host launch"] = {"host launch",
                          (execution.host_end - execution.host_begin).seconds() / r.step_time_s, 0};

  std::map<std::size_t, const TaskRecord*> record_of_call;
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t)
    if (program.tasks[t].kind == TaskKind::collective)
      record_of_call[program.tasks[t].collective] = &execution.tasks[t];
  for (const LinkUse& use : link_uses(s, outcome)) {
    const auto found = record_of_call.find(use.call);
    if (found == record_of_call.end()) continue;
    ResourceLoad& load = loads[use.resource];
    load.resource = use.resource;
    load.load += use.busy_seconds / r.step_time_s;
    const double begin = (found->second->data_start - execution.begin).seconds();
    const double end = (found->second->end - execution.begin).seconds();
    if (end > begin)
      load.load_backward += use.busy_seconds * within(begin, end) / (end - begin) / length;
  }
  for (auto& [name, load] : loads) r.loads.push_back(load);
  std::stable_sort(r.loads.begin(), r.loads.end(),
                   [](const ResourceLoad& a, const ResourceLoad& b) { return a.load > b.load; });
}

// The part of the step that waits for something other than kernels names the limit; else the GPU
// does.
void find_bottleneck(const Outcome& outcome, Report& r) {
  const StepParts& p = outcome.parts;
  const auto load_of = [&](std::string_view name) {
    for (const ResourceLoad& load : r.loads)
      if (load.resource == name) return load;
    return ResourceLoad{std::string(name), 0, 0};
  };
  const auto busiest_link = [&] {
    ResourceLoad best{"network", 0, 0};
    for (const ResourceLoad& load : r.loads)
      if (load.resource != "GPU compute" && load.resource != "HBM" &&
          load.resource != "host launch" && load.load > best.load)
        best = load;
    return best;
  };
  const double compute = p.forward_s + p.backward_s + p.optimizer_s;
  const double last_ready = r.buckets.empty() ? 0 : r.buckets.back().ready_s;
  const double tail = r.buckets.empty() ? 0 : std::max(0.0, r.buckets.back().end_s - last_ready);
  if (p.exposed_communication_s > .1 * r.step_time_s && p.exposed_communication_s >= p.launch_s) {
    r.bottleneck = busiest_link();
    const bool bandwidth = r.bottleneck.load_backward > .5 ||
                           r.bottleneck.load * r.step_time_s > .5 * r.communication_s;
    r.bottleneck_sentence =
        fmt::format("{}, {} busy during backward; the last bucket ends {} after its gradients{}",
                    r.bottleneck.resource, format_percent(r.bottleneck.load_backward),
                    format_time(tail), bandwidth ? "" : " (latency, not bandwidth)");
  } else if (p.launch_s > .1 * r.step_time_s) {
    r.bottleneck = load_of("host launch");
    r.bottleneck_sentence =
        fmt::format("host: kernels are issued too slowly, the GPU is idle {} of the step",
                    format_percent(p.launch_s / r.step_time_s));
  } else if (p.wait_s > .05 * r.step_time_s) {
    r.bottleneck = {"slowest rank", p.wait_s / r.step_time_s, 0};
    r.bottleneck_sentence = "waiting for the slowest rank";
  } else if (p.input_s > .1 * r.step_time_s) {
    r.bottleneck = {"input", p.input_s / r.step_time_s, 0};
    r.bottleneck_sentence = "the batch is not there in time";
  } else {
    r.bottleneck = load_of("GPU compute");
    const ResourceLoad memory = load_of("HBM");
    r.bottleneck_sentence =
        fmt::format("GPU kernels fill {} of the step (HBM {} busy)",
                    format_percent(compute / r.step_time_s), format_percent(memory.load));
  }
}

void list_inputs(Scenario scenario, Report& r) {
  scenario.visit([&](std::string_view name, Constant& constant) {
    r.inputs.push_back({std::string(name), constant});
  });
}

// An answer rests on the constants that move it: one of another protocol than those in use does not.
void drop_idle_inputs(Report& r) {
  std::erase_if(r.inputs, [&](const InputUse& input) {
    return std::any_of(r.elasticities.begin(), r.elasticities.end(), [&](const Elasticity& e) {
      return e.is_constant && e.name == input.name && std::abs(e.relative) < 1e-9;
    });
  });
}

void scaling(const Scenario& s, const Experiment& experiment, Report& r, std::stop_token stop) {
  const double per_gpu = r.throughput / s.ranks;
  const auto efficiency = [&](std::uint32_t ranks) -> std::optional<double> {
    if (ranks == s.ranks) return s.stragglers.empty() ? std::optional(1.0) : std::nullopt;
    const Scenario smaller = with_ranks(s, experiment, ranks);
    const Outcome outcome = run_scenario(smaller, false, stop);
    if (outcome.step_s <= 0) return std::nullopt;
    const double reference = static_cast<double>(r.micro_batch * s.training.accumulate) *
                             smaller.training.parallel.data / outcome.step_s / ranks;
    return per_gpu / reference;
  };
  const Parallelism& p = s.training.parallel;
  const std::uint32_t replica = p.tensor * p.pipeline * p.context;
  const bool sharded = s.training.strategy != Strategy::ddp &&
                       s.training.strategy != Strategy::data_parallel;
  MemoryFootprint one = r.memory;
  one.buckets = 0;
  if (replica > 1)
    r.scaling_efficiency_reason = fmt::format("one replica of the model takes {} GPUs", replica);
  else if (sharded && s.ranks > 1)
    r.scaling_efficiency_reason = "the states are sharded over all GPUs";
  else if (!one.fits())
    r.scaling_efficiency_reason = "one GPU cannot hold the model";
  else
    r.scaling_efficiency = efficiency(1);
  // A node, or as many as hold the experts and whole replicas.
  std::uint32_t unit = std::max(replica, s.ranks_per_node);
  const std::uint32_t experts = p.expert * std::max(1u, p.expert_tensor) * p.pipeline;
  while (unit < s.ranks && (unit % replica != 0 || (p.expert > 1 && unit % experts != 0)))
    unit += s.ranks_per_node;
  if (s.training.fsdp.shard_size > unit) unit = s.ranks;
  if (unit <= s.ranks_per_node || unit % s.ranks_per_node == 0)
    if (unit <= s.ranks_per_node) r.scaling_efficiency_node = efficiency(std::min(unit, s.ranks));
}

}  // namespace

Report simulate(const Experiment& experiment, const RunControl& control) {
  const Scenario scenario = make_scenario(experiment);
  const Outcome outcome = run_scenario(scenario, true, control.stop);
  Report report;
  if (outcome.execution.stopped) throw InputError("the simulation was stopped");
  describe(scenario, experiment, outcome, report);
  measure(scenario, outcome, report);
  list_buckets(outcome, report);
  load_resources(scenario, outcome, report);
  find_bottleneck(outcome, report);
  list_inputs(scenario, report);
  if (control.scaling) scaling(scenario, experiment, report, control.stop);
  report.step_time_low_s = report.step_time_high_s = report.step_time_s;
  if (control.elasticities) {
    report.elasticities = elasticities(scenario, outcome.step_s, control.stop, control.progress);
    const Interval interval = interval90(outcome.step_s, report.elasticities);
    report.step_time_low_s = interval.low;
    report.step_time_high_s = interval.high;
    drop_idle_inputs(report);
  }
  if (experiment.campaign.asked()) {
    CampaignStep step;
    step.step_seconds = report.step_time_s;
    step.samples = static_cast<double>(report.global_batch());
    step.tokens_per_sample = static_cast<double>(report.sequence);
    step.gpus = report.gpus;
    step.nodes = report.nodes;
    step.replicas = report.parallel.data;
    // A checkpoint: a 16- or 32-bit copy of the weights, fp32 masters and the optimizer's states.
    step.state_bytes = static_cast<double>(report.parameters) *
                       ((casts_weights(scenario.request.precision) ? 2 : 0) + 4 +
                        scenario.optimizer.state_bytes_per_parameter);
    report.campaign = campaign(experiment.campaign, step);
  }
  if (control.record_timeline)
    report.timeline = timeline_of(scenario, outcome, control.timeline_ranks);
  return report;
}

}  // namespace dsim
