#include "model/simulate/plans.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/collective/forced_protocol.h"
#include "sim/base/error.h"

namespace dsim {

Plans::Plans(const Topology& topology, Routing routing, Architecture architecture,
             std::vector<GpuId> gpus, NcclSettings nccl, std::optional<Protocol> protocol)
    : topology_(topology),
      routing_(routing_under(nccl, routing)),
      architecture_(architecture),
      gpus_(std::move(gpus)),
      nccl_(std::move(nccl)),
      protocol_(protocol) {}

Communicator Plans::communicator(const std::vector<std::uint32_t>& group) const {
  std::vector<GpuId> members;
  members.reserve(group.size());
  for (const std::uint32_t rank : group) members.push_back(gpus_[rank]);
  return make_communicator(topology_, routing_, architecture_, std::move(members));
}

const Plans::Group& Plans::group(const std::vector<std::uint32_t>& ranks) {
  auto entry = groups_.find(ranks);
  if (entry == groups_.end()) {
    Communicator c = communicator(ranks);
    NcclGraphs graphs = find_nccl_graphs(c, nccl_);
    entry = groups_.emplace(ranks, Group{std::move(c), std::move(graphs)}).first;
  }
  return entry->second;
}

Plans::Chosen Plans::chosen(const std::vector<std::uint32_t>& ranks, CollectiveOp op, Bytes size,
                            DataType type, std::string_view forced) {
  const std::lock_guard lock(mutex_);
  const Group& g = group(ranks);
  const NcclChoice choice =
      choose_nccl(g.graphs, nccl_machine(g.communicator), nccl_, op, size, type);
  Chosen chosen{&algorithm_by_name(choice.algorithm), choice.protocol,
                static_cast<double>(std::max(1, g.graphs.ring.channels)),
                granularity_limits(nccl_, architecture_)};
  if (protocol_) chosen.protocol = *protocol_;
  if (forced.empty()) return chosen;
  const Algorithm& algorithm = algorithm_by_name(forced);
  const PlanRequest request{.communicator = &g.communicator, .op = op, .nccl = &g.graphs};
  // As with NCCL_ALGO, an algorithm that lacks an operation leaves it to the others; but gradients
  // are all-reduced, and what cannot do that here was not meant.
  const std::string why = !algorithm.supports(op) ? "it does not " + std::string(name_of(op))
                                                  : algorithm.unfit(request);
  if (!why.empty() && op != CollectiveOp::all_reduce) return chosen;
  if (!why.empty())
    throw InputError(fmt::format("--algorithm {} cannot reduce the gradients: {}", forced, why));
  chosen.protocol = protocol_of_forced(algorithm, protocol_, choice);
  chosen.algorithm = &algorithm;
  return chosen;
}

const Plan& Plans::plan(const std::vector<std::vector<std::uint32_t>>& groups, CollectiveOp op,
                        const Algorithm& algorithm) {
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = plans_.try_emplace(Key{groups, op, algorithm.name});
  Plan& plan = entry->second;
  if (!added) return plan;
  std::vector<const Schedule*> pointers;
  for (const auto& ranks : groups) {
    const Group& g = group(ranks);
    plan.communicators.push_back(g.communicator);
    plan.schedules.push_back(
        algorithm.plan({.communicator = &g.communicator, .op = op, .nccl = &g.graphs}));
  }
  for (const Schedule& schedule : plan.schedules)
    if (schedule.pattern == Pattern::rounds) {
      plans_.erase(entry);
      throw InputError(fmt::format(
          "--algorithm {}: a training step runs NCCL's rings, trees, NVLS and CollNet; dsim "
          "collective simulates the others",
          algorithm.name));
    }
  for (const Schedule& schedule : plan.schedules) pointers.push_back(&schedule);
  plan.resources = std::make_unique<LinkResources>(topology_, pointers, true);
  return plan;
}

}  // namespace dsim
