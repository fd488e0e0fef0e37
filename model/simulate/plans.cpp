#include "model/simulate/plans.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/collective/forced_protocol.h"
#include "model/collective/pair.h"
#include "model/simulate/representative_groups.h"
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
  if (op == CollectiveOp::sendrecv)
    return {&pair_algorithm, Protocol::simple, 1, granularity_limits(nccl_, architecture_)};
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
  for (const Schedule& schedule : plan.schedules) {
    if (schedule.pattern == Pattern::rounds) return plan;  // timed alone: no shared links
    pointers.push_back(&schedule);
  }
  plan.resources = std::make_unique<LinkResources>(topology_, pointers, true);
  return plan;
}

const LinkResources& Plans::together(const std::vector<const Plan*>& plans) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<LinkResources>& links = together_[plans];
  if (links) return *links;
  std::vector<const Schedule*> schedules;
  for (const Plan* plan : plans)
    for (const Schedule& schedule : plan->schedules) schedules.push_back(&schedule);
  links = std::make_unique<LinkResources>(topology_, schedules, true);
  return *links;
}

const std::vector<std::vector<std::uint32_t>>& Plans::representatives(
    const std::vector<std::vector<std::uint32_t>>& groups) {
  if (groups.size() == 1) return groups;
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = representatives_.try_emplace(groups);
  if (added) entry->second = representative_groups(topology_, routing_, gpus_, groups);
  return entry->second;
}

Plans::Alone Plans::alone(const std::vector<std::vector<std::uint32_t>>& groups,
                          const CollectiveCall& call, std::string_view forced,
                          const CollectiveConstants& constants) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<CollectivePredictor>& predictor =
      predictors_[{groups.front(), call.backend, std::string(forced)}];
  if (!predictor) {
    CollectiveSetup setup;
    setup.topology = {std::shared_ptr<const Topology>{}, &topology_};  // the experiment's
    for (const std::uint32_t rank : groups.front()) setup.ranks.push_back(gpus_[rank]);
    setup.routing = routing_;
    setup.backend = call.backend == CallBackend::gloo  ? Backend::gloo
                    : call.backend == CallBackend::mpi ? Backend::mpi
                                                       : Backend::nccl;
    setup.nccl = nccl_;
    setup.algorithm = forced;
    predictor = std::make_unique<CollectivePredictor>(std::move(setup));
  }
  predictor->constants() = constants;
  CollectiveQuery query;
  query.op = call.op;
  query.size = call.bytes;
  query.type = call.element_bytes == 2 ? DataType::bfloat16 : DataType::float32;
  const CollectivePrediction prediction = predictor->predict(query);
  return {prediction.seconds, std::string(prediction.algorithm->name), prediction.channels};
}

}  // namespace dsim
