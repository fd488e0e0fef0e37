#include "model/simulate/plans.h"

namespace dsim {

Plans::Plans(const Topology& topology, Routing routing, Architecture architecture,
             std::vector<GpuId> gpus)
    : topology_(topology), routing_(routing), architecture_(architecture), gpus_(std::move(gpus)) {}

Communicator Plans::communicator(const std::vector<std::uint32_t>& group) const {
  std::vector<GpuId> members;
  members.reserve(group.size());
  for (const std::uint32_t rank : group) members.push_back(gpus_[rank]);
  return make_communicator(topology_, routing_, architecture_, std::move(members));
}

const Algorithm& Plans::chosen(const std::vector<std::uint32_t>& group, CollectiveOp op,
                               Bytes size) {
  const std::lock_guard lock(mutex_);
  auto entry = graphs_.find(group);
  if (entry == graphs_.end()) {
    Communicator c = communicator(group);
    const NcclGraph graph = nccl_graph(c);
    entry = graphs_.emplace(group, std::pair(std::move(c), graph)).first;
  }
  return *choose_nccl(entry->second.first, entry->second.second, op, size).algorithm;
}

const Plan& Plans::plan(const std::vector<std::vector<std::uint32_t>>& groups, CollectiveOp op,
                        const Algorithm& algorithm) {
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = plans_.try_emplace(Key{groups, op, algorithm.name});
  Plan& plan = entry->second;
  if (!added) return plan;
  std::vector<const Schedule*> pointers;
  for (const auto& group : groups) plan.communicators.push_back(communicator(group));
  for (const Communicator& c : plan.communicators) plan.schedules.push_back(algorithm.plan(c, op));
  for (const Schedule& schedule : plan.schedules) pointers.push_back(&schedule);
  plan.resources = std::make_unique<LinkResources>(topology_, pointers, true);
  return plan;
}

}  // namespace dsim
