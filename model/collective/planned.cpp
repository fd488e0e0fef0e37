#include "model/collective/planned.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/collective/prepare.h"
#include "model/collective/round_costs.h"
#include "sim/network/link_defaults.h"

namespace dsim {

namespace {

std::string name_of_link(const Topology& t, LinkId id) {
  const Link link = t.link(id);
  const std::string ends =
      fmt::format("{} -> {}", t.vertex_name(link.from), t.vertex_name(link.to));
  if (!is_network(link.kind))
    return fmt::format("{} ({})", link.kind == LinkKind::nvlink ? "NVLink" : name_of(link.kind),
                       ends);
  const bool nic =
      t.vertex_kind(link.from) == VertexKind::nic || t.vertex_kind(link.to) == VertexKind::nic;
  return fmt::format("{} ({})", nic ? "NIC" : "fabric", ends);
}

// The link that is busiest, and what keeps the call from being faster.
void find_bottleneck(const PlannedCollective& plan, const Topology& topology, const Granularity& g,
                     const StepCost& cost, const CollectiveConstants& k, PreparedCollective& call) {
  const LinkResources& links = *plan.resources;
  std::vector<double> bytes(links.size(), 0);
  for (std::uint32_t channel = 0; channel < g.channels; ++channel)
    for (const Load& load : links.channel_loads(0, channel))
      bytes[load.resource] += load.coefficient * g.channel_bytes() *
                              cost.wire[static_cast<std::size_t>(links.kind(load.resource))];
  const double total = closed_seconds(call.fluid);
  double busiest = 0;
  for (std::size_t r = 0; r < links.size(); ++r) {
    const double share = bytes[r] / links.capacity(r, k) / total;
    if (share <= busiest) continue;
    busiest = share;
    call.bottleneck = name_of_link(topology, links.sample(r));
    call.limit_seconds = bytes[r] / links.nominal(r);
  }
  const double ctas = g.channel_bytes() / cost.rate / total;
  if (std::max(busiest, ctas) < .5)
    call.bottleneck = "latency";
  else if (ctas > busiest)
    call.bottleneck = "CTAs";
}

void plan_rounds(const Communicator& communicator, PlannedCollective& plan) {
  const Topology& t = *communicator.topology;
  PathOf paths = paths_along_routes(communicator);
  if (plan.schedule.mechanics == Mechanics::host) paths = host_paths(std::move(paths));
  plan.phases = plan_phases(plan.schedule, paths, t.link_count());
  std::vector<double> nominal;
  for (std::size_t l = 0; l < t.link_count(); ++l)
    nominal.push_back(t.link(LinkId{l}).bandwidth.bytes_per_second);
  for (const std::uint32_t l : fold_phases(plan.phases, nominal))
    plan.links.push_back({LinkId{l}, t.link(LinkId{l}).kind, nominal[l]});
  for (const PhasePlan& phase : plan.phases)
    plan.network_messages = std::max(plan.network_messages, phase.network_messages);
}

// The phases of a call, the link that is busiest in the longest of them and what holds it up.
void prepare_rounds(const PlannedCollective& plan, const Topology& topology, CollectiveOp op,
                    Bytes size, const CallCosts& costs, const CollectiveConstants& k,
                    PreparedCollective& call) {
  const RoundCost cost = costs_of_rounds(plan, op, size, costs, k);
  const std::vector<double> capacities = capacities_of(plan, k);
  double longest = 0, busiest = 0;
  std::vector<double> nominal_seconds(capacities.size(), 0);  // of each link, all phases together
  call.bottleneck = "latency";
  for (ChannelActivity& a : price_phases(plan.schedule, plan.phases, size, cost, capacities)) {
    double bound = a.cap;
    for (const Load& load : a.loads)
      bound = std::min(bound, capacities[load.resource] / load.coefficient);
    const double moving = a.work > 0 ? a.work / bound : 0;
    if (a.delay_seconds + moving > longest) {
      longest = a.delay_seconds + moving;
      busiest = 0;
      call.bottleneck = moving < a.delay_seconds ? "latency" : "channels";
      for (const Load& load : a.loads) {
        const double share = bound * load.coefficient / capacities[load.resource];
        if (share <= busiest) continue;
        busiest = share;
        const PhaseLink& link = plan.links[load.resource];
        if (share > .95 && moving >= a.delay_seconds)
          call.bottleneck = name_of_link(topology, link.sample);
      }
    }
    for (const Load& load : a.loads)
      nominal_seconds[load.resource] +=
          a.work * load.coefficient / plan.links[load.resource].nominal;
    a.cap = bound;
    call.fluid.activities.push_back(std::move(a));
    call.fluid.end_stage();
  }
  for (const double seconds : nominal_seconds)
    call.limit_seconds = std::max(call.limit_seconds, seconds);
  call.channels = plan.schedule.mechanics == Mechanics::host ? 1 : costs.channels;
}

}  // namespace

RoundCost costs_of_rounds(const PlannedCollective& plan, CollectiveOp op, Bytes size,
                          const CallCosts& costs, const CollectiveConstants& k) {
  double largest = 0;
  for (const PhasePlan& phase : plan.phases) largest = std::max(largest, phase.largest);
  return round_cost(plan.schedule.mechanics,
                    {.op = op,
                     .size = size,
                     .protocol = costs.protocol,
                     .ranks = plan.schedule.ranks,
                     .nodes = plan.schedule.nodes,
                     .channels = costs.limits.channels ? costs.limits.channels : costs.channels,
                     .p2p_channels = costs.p2p_channels,
                     .p2p_per_peer = costs.p2p_per_peer,
                     .network_messages = plan.network_messages,
                     .largest_message = largest * static_cast<double>(size.count)},
                    k);
}

std::vector<double> capacities_of(const PlannedCollective& plan, const CollectiveConstants& k) {
  if (plan.resources) return plan.resources->capacities(k);
  std::vector<double> result;
  for (const PhaseLink& r : plan.links) result.push_back(r.nominal * k.efficiency(r.kind));
  return result;
}

PlannedCollective plan_collective(const Algorithm& algorithm, const PlanRequest& request,
                                  Backend backend) {
  PlannedCollective plan;
  plan.schedule = algorithm.plan(request);
  if (backend != Backend::nccl) plan.schedule.mechanics = Mechanics::host;
  if (plan.schedule.pattern == Pattern::rounds) {
    plan_rounds(*request.communicator, plan);
    return plan;
  }
  const Schedule* schedule = &plan.schedule;
  plan.resources = std::make_unique<LinkResources>(*request.communicator->topology,
                                                   std::span(&schedule, 1), true);
  return plan;
}

PreparedCollective prepare_collective(const PlannedCollective& plan, const Topology& topology,
                                      CollectiveOp op, Bytes size, const CallCosts& costs,
                                      const CollectiveConstants& k) {
  PreparedCollective call;
  call.fluid.launch_seconds = launch_seconds(plan.schedule, k);
  call.fluid.least_seconds = costs.launch_floor;
  if (plan.schedule.pattern == Pattern::rounds) {
    prepare_rounds(plan, topology, op, size, costs, k, call);
    return call;
  }
  const Granularity g = granularity(plan.schedule, size, costs.protocol, costs.limits);
  const StepCost cost = step_cost(plan.schedule, g, costs.protocol, k, op,
                                  g.channels / std::max(1.0, costs.graph_channels));
  call.channels = g.channels;
  prepare_fluid(plan.schedule, *plan.resources, 0, g, cost, plan.resources->capacities(k), 0,
                call.fluid);
  find_bottleneck(plan, topology, g, cost, k, call);
  return call;
}

}  // namespace dsim
