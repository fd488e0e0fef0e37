#include "model/collective/planned.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/collective/prepare.h"
#include "sim/network/link_defaults.h"

namespace dsim {

namespace {

std::string name_of_link(const Topology& t, LinkId id) {
  const Link link = t.link(id);
  const std::string ends =
      fmt::format("{} -> {}", t.vertex_name(link.from), t.vertex_name(link.to));
  if (!is_network(link.kind))
    return fmt::format("{} ({})", link.kind == LinkKind::nvlink ? "NVLink" : name_of(link.kind), ends);
  const bool nic = t.vertex_kind(link.from) == VertexKind::nic ||
                   t.vertex_kind(link.to) == VertexKind::nic;
  return fmt::format("{} ({})", nic ? "NIC" : "fabric", ends);
}

// The link that is busiest, and what keeps the call from being faster.
void find_bottleneck(const PlannedCollective& plan, const Topology& topology, const Granularity& g,
                     const StepCost& cost, const CollectiveConstants& k,
                     PreparedCollective& call) {
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

}  // namespace

PlannedCollective plan_collective(const Algorithm& algorithm, const PlanRequest& request) {
  PlannedCollective plan;
  plan.schedule = algorithm.plan(request);
  if (plan.schedule.pattern == Pattern::rounds) return plan;
  const Schedule* schedule = &plan.schedule;
  plan.resources = std::make_unique<LinkResources>(*request.communicator->topology,
                                                   std::span(&schedule, 1), true);
  return plan;
}

PreparedCollective prepare_collective(const PlannedCollective& plan, const Topology& topology,
                                      CollectiveOp op, Bytes size, const CallCosts& costs,
                                      const CollectiveConstants& k) {
  PreparedCollective call;
  const Granularity g = granularity(plan.schedule, size, costs.protocol, costs.limits);
  const StepCost cost = step_cost(plan.schedule, g, costs.protocol, k, op,
                                  g.channels / std::max(1.0, costs.graph_channels));
  call.channels = g.channels;
  call.fluid.launch_seconds = k.gpu.launch;
  call.fluid.least_seconds = costs.launch_floor;
  prepare_fluid(plan.schedule, *plan.resources, 0, g, cost, plan.resources->capacities(k), 0,
                call.fluid);
  find_bottleneck(plan, topology, g, cost, k, call);
  return call;
}

}  // namespace dsim
