#include "model/strategy/fsdp.h"

#include <fmt/format.h>

#include <memory>

#include "model/strategy/fsdp1_step.h"
#include "model/strategy/fsdp2_step.h"
#include "model/strategy/rank_classes.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

void check(const TrainingRequest& request, const RankGrid& grid) {
  const TrainingOptions& options = request.options;
  const FsdpOptions& fsdp = options.fsdp;
  if (grid.parallelism().pipeline > 1)
    throw InputError(
        "FSDP cannot run with pipeline stages here: every micro-batch would gather every stage's "
        "units again; use a megatron strategy or zero1 for pipelines");
  if (options.accumulate < 1)
    throw InputError(fmt::format("cannot accumulate over {} micro-batches; at least 1 is needed",
                                 options.accumulate));
  if (fsdp.all_gather_limit < 0)
    throw InputError(
        fmt::format("{} all-gathers in flight cannot be; 0 means no limit", fsdp.all_gather_limit));
  if (fsdp.shard_size > 0 && grid.parallelism().expert > 1)
    throw InputError(
        "hybrid sharding cannot be combined with expert parallelism: experts have replicas of "
        "their "
        "own");
  if (fsdp.reshard_size > 0 && options.strategy != Strategy::fsdp2)
    throw InputError("only fsdp2 can reshard to fewer ranks after forward");
}

std::uint32_t group_size(const GroupFamily& family) {
  return family.groups.empty() ? 1 : static_cast<std::uint32_t>(family.groups.front().size());
}

/// Ranks that share a copy of the dense parameters.
std::uint32_t shard_ranks(const TrainingRequest& request, const RankGrid& grid) {
  const std::uint32_t all = group_size(grid.data_groups(0));
  const std::uint32_t shard = request.options.fsdp.shard_size;
  if (shard > all || (shard > 0 && all % shard != 0))
    throw InputError(
        fmt::format("a shard size of {} does not divide the {} data-parallel ranks", shard, all));
  return shard > 0 ? shard : all;
}

ShardFamilies families(const TrainingRequest& request, StepWriter& writer, std::uint32_t shard) {
  const RankGrid& grid = writer.grid();
  const FsdpOptions& fsdp = request.options.fsdp;
  ShardFamilies result;
  if (shard == group_size(grid.data_groups(0))) {
    result.shard = writer.data_family();
  } else {
    result.shard = writer.family("shard", grid.shard_groups(0, shard));
    result.replicas = writer.family("replicas", grid.replica_groups(0, shard));
  }
  if (grid.parallelism().expert > 1) result.expert_shard = writer.expert_data_family();
  if (fsdp.reshard_size > 0 && fsdp.reshard_size < shard) {
    if (shard % fsdp.reshard_size != 0)
      throw InputError(fmt::format("a reshard size of {} does not divide the {} ranks of a shard",
                                   fsdp.reshard_size, shard));
    result.regather = writer.family("reshard", grid.shard_groups(0, fsdp.reshard_size));
  }
  return result;
}

}  // namespace

Workload fsdp_workload(const TrainingRequest& request) {
  require(request.model && request.gpu && request.compute && request.host && request.optimizer,
          "a training request names its model, GPU, constants and optimizer");
  const RankGrid grid(request.options.parallel, request.ranks);
  check(request, grid);
  Workload workload;
  workload.classes = rank_classes(request, grid);
  SharedCalls calls(workload);
  StepWriter writer(request, grid, calls);
  const std::uint32_t shard = shard_ranks(request, grid);
  const std::uint32_t expert_shard =
      grid.parallelism().expert > 1 ? group_size(grid.expert_data_groups(0)) : 0;
  const bool second = request.options.strategy == Strategy::fsdp2;
  ShardPlan plan = shard_plan(*request.model, {0, request.model->layers.size()},
                              request.options.fsdp.blocks_per_unit, shard, expert_shard,
                              second ? ShardPadding::first_dimension : ShardPadding::flat);
  const ShardFamilies who = families(request, writer, shard);
  if (second)
    workload.programs.push_back(Fsdp2Step(writer, std::move(plan), who).write());
  else
    workload.programs.push_back(Fsdp1Step(writer, std::move(plan), who).write());
  return workload;
}

}  // namespace dsim
