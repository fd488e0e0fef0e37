#include "model/simulate/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/compute/attention_curves.h"
#include "model/compute/spread.h"
#include "model/simulate/block_timer.h"
#include "model/simulate/jitter.h"
#include "model/simulate/parts.h"
#include "model/strategy/ddp.h"
#include "sim/base/error.h"
#include "sim/network/link_defaults.h"

namespace dsim {

void Scenario::visit(const ConstantVisitor& visitor) {
  compute.visit(visitor);
  host.visit(visitor);
  visitor("optimizer bytes", element_bytes(request.precision) == 4
                                 ? optimizer.bytes_per_parameter_full
                                 : optimizer.bytes_per_parameter_mixed);
  visitor("GPU spread", gpu_spread);
  if (ranks > 1) collective.visit(visitor);
}

namespace {

// Kind of the network between nodes: of the first link that leaves a NIC for the fabric.
// Slowest PCIe link of the first GPU's way, nominal: what a batch from the host crosses.
double host_link_bandwidth(const Topology& t) {
  double slowest = 0;
  for (std::size_t l = 0; l < t.link_count(); ++l) {
    const Link link = t.link(LinkId{l});
    if (link.kind != LinkKind::pcie) continue;
    if (slowest == 0 || link.bandwidth.bytes_per_second < slowest)
      slowest = link.bandwidth.bytes_per_second;
  }
  return slowest > 0 ? slowest : 31.5e9;
}

Precision default_precision(const Gpu& gpu) {
  return gpu.bf16 > 0 ? Precision::bf16 : Precision::fp16;
}

std::vector<GpuId> placement(const Topology& topology, const Job& job) {
  std::vector<GpuId> gpus;
  if (job.ranks.empty()) {
    for (std::size_t g = 0; g < topology.gpu_count(); ++g) gpus.emplace_back(g);
    return gpus;
  }
  std::set<std::uint32_t> seen;
  for (const std::uint32_t g : job.ranks) {
    if (g >= topology.gpu_count())
      throw InputError(fmt::format("GPU {} does not exist: the topology has {} (0 to {})", g,
                                   topology.gpu_count(), topology.gpu_count() - 1));
    if (!seen.insert(g).second) throw InputError(fmt::format("GPU {} is given to two ranks", g));
    gpus.emplace_back(g);
  }
  return gpus;
}

std::uint32_t ranks_of_first_node(const Topology& topology, const std::vector<GpuId>& gpus) {
  std::uint32_t count = 0;
  while (count < gpus.size() && topology.node_of(gpus[count]) == topology.node_of(gpus[0])) ++count;
  return count;
}

void check(const Scenario& s, const Experiment& experiment) {
  if (experiment.jobs.size() != 1)
    throw InputError(fmt::format("this version simulates one job at a time, {} were given",
                                 experiment.jobs.size()));
  if (s.training.accumulate < 1 || s.training.accumulate > (1 << 20))
    throw InputError(fmt::format("accumulation must be between 1 and 1048576 micro-batches, not {}",
                                 s.training.accumulate));
  if (s.training.ddp.bucket_cap.count < 1 || s.training.ddp.first_bucket.count < 1)
    throw InputError("bucket sizes must be at least 1 byte");
  for (const Straggler& straggler : s.stragglers) {
    if (straggler.rank >= s.ranks)
      throw InputError(fmt::format("straggler rank {} does not exist: there are {} ranks",
                                   straggler.rank, s.ranks));
    if (!(straggler.factor >= 0.01 && straggler.factor <= 1000))
      throw InputError(
          fmt::format("straggler factor {} is out of range (0.01 to 1000)", straggler.factor));
  }
  if (!s.algorithm.empty()) algorithm_by_name(s.algorithm);
}

}  // namespace

namespace {

/// Constants that a job states itself.
void apply_stated_constants(const Job& job, Scenario& s) {
  if (job.optimizer_bytes > 0) {
    s.optimizer.bytes_per_parameter_mixed.value = job.optimizer_bytes;
    s.optimizer.bytes_per_parameter_full.value = job.optimizer_bytes;
  }
  if (job.fp8_gain > 0) s.compute.fp8_gain.value = job.fp8_gain;
  if (job.launch_seconds > 0) {
    const double factor = job.launch_seconds / s.host.forward_launch;
    for (Constant* constant :
         {&s.host.forward_launch, &s.host.backward_launch, &s.host.optimizer_launch,
          &s.host.micro_batch})
      constant->value *= factor;
  }
  if (job.backward_launch_seconds > 0) s.host.backward_launch.value = job.backward_launch_seconds;
}

}  // namespace

Scenario make_scenario(const Experiment& experiment) {
  require(experiment.topology != nullptr, "an experiment needs a topology");
  if (experiment.jobs.empty()) throw InputError("the experiment has no job");
  const Job& job = experiment.jobs.front();
  const Topology& topology = *experiment.topology;
  Scenario s;
  s.gpu = gpu_by_name(topology.gpu_model());
  s.kind = job.kind ? job.kind : find_model(job.model);
  s.request.micro_batch = job.micro_batch == 0 ? s.kind->default_micro_batch : job.micro_batch;
  s.request.sequence = job.sequence == 0 ? s.kind->default_sequence : job.sequence;
  s.request.precision = job.precision_given ? job.precision : default_precision(s.gpu);
  s.request.fp8_recipe = job.fp8_recipe;
  s.request.fusion = job.fusion;
  s.request.attention = resolved_attention(job.attention, s.gpu.architecture);
  s.request.sharding = layer_sharding(job.training);
  s.request.half_weights = job.half_weights.value_or(keeps_half_weights(job.training.strategy));
  s.gpu.peak(s.request.precision);  // InputError if the chip has none
  s.optimizer = optimizer_kind(job.optimizer.empty() ? s.kind->default_optimizer
                                                     : std::string_view(job.optimizer));
  s.training = job.training;
  s.compute = with_recipe(s.gpu, s.request.fp8_recipe);
  s.host = built_in_host_constants();
  apply_stated_constants(job, s);
  s.gpu_spread = built_in_gpu_spread();
  s.collective = built_in_collective_constants(machine_of(topology));
  s.input_bandwidth = host_link_bandwidth(topology) * s.collective.path.pcie_efficiency;
  s.fidelity = experiment.fidelity;
  s.algorithm = experiment.algorithm;
  s.stragglers = experiment.stragglers;
  s.input_rate = job.input_rate;
  s.jitter = experiment.jitter;
  s.seed = experiment.seed;
  std::vector<GpuId> gpus = placement(topology, job);
  s.ranks = static_cast<std::uint32_t>(gpus.size());
  s.plans =
      std::make_shared<Plans>(topology, experiment.routing.value_or(topology.default_routing()),
                              s.gpu.architecture, std::move(gpus), experiment.nccl,
                              experiment.protocol);
  s.ranks_per_node = ranks_of_first_node(topology, s.plans->gpus());
  s.training.parallel = RankGrid(s.training.parallel, s.ranks).parallelism();
  check(s, experiment);
  return s;
}

Scenario with_ranks(const Scenario& scenario, const Experiment& experiment, std::uint32_t ranks) {
  Scenario s = scenario;
  s.ranks = ranks;
  s.training.parallel.data = 0;
  s.training.parallel = RankGrid(s.training.parallel, ranks).parallelism();
  s.stragglers.clear();  // ideal scaling is measured against a healthy GPU
  std::vector<GpuId> gpus(scenario.plans->gpus().begin(), scenario.plans->gpus().begin() + ranks);
  s.plans = std::make_shared<Plans>(
      *experiment.topology, experiment.routing.value_or(experiment.topology->default_routing()),
      s.gpu.architecture, std::move(gpus), experiment.nccl, experiment.protocol);
  return s;
}

bool is_plain_ddp(const TrainingOptions& options) {
  return options.strategy == Strategy::ddp && options.framework == Framework::pytorch &&
         options.parallel.tensor * options.parallel.pipeline * options.parallel.context *
                 options.parallel.expert ==
             1;
}

Outcome run_scenario(const Scenario& s, bool detailed, std::stop_token stop) {
  const auto model = std::make_shared<Model>(s.kind->build(*s.kind, s.request));
  apply_recompute(*model, s.training.recompute, s.training.recompute_every);
  const RankGrid grid(s.training.parallel, s.ranks);
  TrainingRequest request;
  request.model = model.get();
  request.precision = s.request.precision;
  request.gpu = &s.gpu;
  request.compute = &s.compute;
  request.host = &s.host;
  request.optimizer = &s.optimizer;
  request.options = s.training;
  request.ranks = s.ranks;
  request.ranks_per_node = s.ranks_per_node;
  request.input_seconds = model->input_bytes / s.input_bandwidth;
  if (s.input_rate > 0)  // the loader works ahead, beside the copy
    request.input_seconds =
        std::max(request.input_seconds, static_cast<double>(model->samples) / s.input_rate);
  request.time_block = block_timer(s, grid);
  for (const Straggler& straggler : s.stragglers)
    request.stragglers.emplace_back(straggler.rank, straggler.factor);
  const auto workload = std::make_shared<Workload>(training_workload(request));
  // What is simulated is the slowest rank of each class; nobody finishes before it.
  for (RankClass& rank_class : workload->classes)
    rank_class.speed /= slowest_gpu_factor(s.ranks, s.gpu_spread);
  if (s.jitter > 0) {
    std::vector<std::size_t> sizes;
    for (const RankClass& rank_class : workload->classes) sizes.push_back(rank_class.ranks.size());
    const std::vector<double> factors = jitter_factors(sizes, s.jitter, s.seed);
    for (std::size_t c = 0; c < sizes.size(); ++c) workload->classes[c].speed /= factors[c];
  }

  const auto calls =
      std::make_shared<Calls>(*workload, *s.plans, s.collective, s.fidelity, s.algorithm);
  ExecutionSetup setup;
  setup.workload = workload.get();
  setup.link_capacities = calls->link_capacities();
  setup.sms = s.gpu.sms;
  setup.hbm_bandwidth = s.gpu.hbm_bandwidth * s.compute.memory_efficiency;
  setup.launch_latency = s.host.launch_latency;
  setup.held_sms = calls->held_sms();
  setup.stop = stop;
  calls->load_memory(setup);
  setup.runner = calls->runner();
  Outcome outcome;
  outcome.execution = execute(setup);
  if (outcome.execution.stopped) return outcome;

  const auto& classes = outcome.execution.classes;
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (classes[c].end > classes[outcome.slowest].end) outcome.slowest = c;
  const ClassExecution& slowest = classes[outcome.slowest];
  const Program& program = workload->programs[workload->classes[outcome.slowest].program];
  outcome.step_s = (slowest.end - slowest.begin).seconds();
  outcome.parts = step_parts(*workload, program, slowest);
  outcome.communication_s = communication_seconds(program, slowest);
  if (detailed) {
    outcome.model = model;
    outcome.workload = workload;
    outcome.calls = calls;
    if (s.ranks > 1 && is_plain_ddp(s.training)) outcome.buckets = ddp_buckets(*model, s.training.ddp);
  } else {
    outcome.execution = {};
  }
  return outcome;
}

}  // namespace dsim
