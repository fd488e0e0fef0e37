#include "model/simulate/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "model/compute/gpu.h"
#include "model/simulate/topology_gpu.h"
#include "model/workload/model.h"
#include "sim/base/data_files.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

/// "64", or "64 or 128" for a batch between two multiples.
std::string nearest_multiples(std::int64_t value, std::int64_t unit) {
  const std::int64_t below = value / unit * unit, above = below + unit;
  return below > 0 ? fmt::format("{} or {}", below, above) : fmt::format("{}", above);
}

}  // namespace

std::shared_ptr<const Topology> draft_topology(const ExperimentDraft& draft) {
  if (draft.topology.empty())
    throw InputError(
        "no topology given: --topology FILE (dsim list topologies names the shipped ones)");
  const std::filesystem::path path = draft.topology;
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(fmt::format("--topology {} is a directory, not a file", draft.topology));
  auto topology = load_topology(find_data_file(draft.topology, "topologies"));
  gpu_of(*topology);
  return topology;
}

std::int64_t draft_gpus(const ExperimentDraft& draft, const Topology& topology) {
  const auto all = static_cast<std::int64_t>(topology.gpu_count());
  const auto per_node = static_cast<std::int64_t>(topology.gpus_per_node());
  const auto nodes = static_cast<std::int64_t>(topology.node_count());
  if (draft.nodes && *draft.nodes > nodes)
    throw InputError(fmt::format("--nodes {} is more than the {} nodes of {}", *draft.nodes, nodes,
                                 topology.name()));
  if (draft.gpus && *draft.gpus > all)
    throw InputError(
        fmt::format("--gpus {} is more than the {} GPUs of {}", *draft.gpus, all, topology.name()));
  if (draft.nodes && draft.gpus && *draft.nodes * per_node != *draft.gpus)
    throw InputError(fmt::format("--nodes {} are {} GPUs, but --gpus says {} (give one of the two)",
                                 *draft.nodes, *draft.nodes * per_node, *draft.gpus));
  if (draft.nodes) return std::min(all, *draft.nodes * per_node);
  return draft.gpus.value_or(all);
}

BatchPlan plan_batch(std::optional<std::int64_t> global_batch,
                     std::optional<std::int64_t> micro_batch,
                     std::optional<std::int64_t> accumulate, std::int64_t gpus,
                     std::int64_t default_micro_batch) {
  if (!global_batch) return {micro_batch.value_or(default_micro_batch), accumulate.value_or(1)};

  std::int64_t unit = gpus;
  std::string factors = fmt::format("{} GPUs", gpus);
  if (micro_batch) {
    unit *= *micro_batch;
    factors += fmt::format(" x micro-batch {}", *micro_batch);
  }
  if (accumulate) {
    unit *= *accumulate;
    factors += fmt::format(" x accumulate {}", *accumulate);
  }
  if (micro_batch && accumulate && *global_batch != unit)
    throw InputError(fmt::format("--global-batch {} is not {} = {}", *global_batch, factors, unit));
  if (*global_batch % unit != 0)
    throw InputError(fmt::format("--global-batch {} is not a multiple of {} = {} (nearest: {})",
                                 *global_batch, factors, unit,
                                 nearest_multiples(*global_batch, unit)));
  const std::int64_t rest = *global_batch / unit;
  if (micro_batch) return {*micro_batch, accumulate.value_or(rest)};
  if (accumulate) return {rest, *accumulate};
  std::int64_t micro = std::min(rest, default_micro_batch);
  while (rest % micro != 0) --micro;
  return {micro, rest / micro};
}

namespace {

/// What follows from what was given: Megatron for model parallelism, interleaving for chunks,
/// Horovod's defaults by release.
void resolve_training(const ExperimentDraft& draft, TrainingOptions& options) {
  const Parallelism& p = options.parallel;
  if (!draft.strategy_given && p.tensor * p.pipeline * p.context * p.expert > 1)
    options.strategy = Strategy::megatron;
  // Megatron's default: main gradients are added in the GEMM (--no-gradient-accumulation-fusion).
  if (options.strategy == Strategy::megatron) options.fused_gradient_accumulation = true;
  if (!draft.schedule_given && p.chunks > 1) options.schedule = PipelineKind::interleaved;
  if (draft.horovod_version.empty()) return;
  const HorovodOptions defaults;
  const HorovodOptions release = horovod_defaults(draft.horovod_version);
  HorovodOptions& horovod = options.horovod;
  horovod.version = release.version;
  horovod.batched_copies = release.batched_copies;
  if (horovod.cycle_seconds == defaults.cycle_seconds) horovod.cycle_seconds = release.cycle_seconds;
  if (horovod.fusion_threshold == defaults.fusion_threshold)
    horovod.fusion_threshold = release.fusion_threshold;
}

}  // namespace

Experiment resolve(const ExperimentDraft& draft, const std::shared_ptr<const Topology>& topology) {
  Experiment experiment = draft.experiment;
  const std::int64_t gpus = draft_gpus(draft, *topology);
  const bool whole = gpus == static_cast<std::int64_t>(topology->gpu_count());
  if (draft.placement == Placement::packed || whole) {
    experiment.topology =
        whole ? topology : first_gpus(topology, static_cast<std::size_t>(gpus));
  } else {
    experiment.topology = topology;
    experiment.jobs.front().ranks = place(draft.placement, *topology,
                                          static_cast<std::size_t>(gpus), experiment.seed);
  }
  const NcclVersion version =
      draft.nccl_version.empty() ? NcclVersion{} : parse_nccl_version(draft.nccl_version);
  experiment.nccl = parse_nccl_settings(draft.nccl, version);
  if (experiment.protocol && experiment.nccl.proto.empty())
    experiment.nccl.proto = name_of(*experiment.protocol);  // NCCL chooses among what is left
  experiment.topology = apply_transport(experiment.topology, experiment.nccl);
  Job& job = experiment.jobs.front();
  if (draft.fusion) job.fusion = *draft.fusion;
  resolve_training(draft, job.training);
  if (!job.kind) job.kind = find_model(job.model);
  const ModelKind& kind = *job.kind;
  const RankGrid grid(job.training.parallel, static_cast<std::uint32_t>(gpus));
  const std::int64_t replicas = grid.parallelism().data;
  const BatchPlan batch = plan_batch(
      draft.global_batch, job.micro_batch > 0 ? std::optional(job.micro_batch) : std::nullopt,
      draft.accumulate, replicas, kind.default_micro_batch);
  job.micro_batch = batch.micro_batch;
  job.training.accumulate = batch.accumulate;
  if (job.sequence > 0 && kind.default_sequence == 0)
    throw InputError(fmt::format("--seq {} has no meaning for {}: its samples are images",
                                 job.sequence, kind.name));
  for (const Straggler& straggler : experiment.stragglers)
    if (straggler.rank >= gpus)
      throw InputError(fmt::format("--straggler names rank {}, but there are {} ranks (0 to {})",
                                   straggler.rank, gpus, gpus - 1));
  return experiment;
}

}  // namespace dsim
