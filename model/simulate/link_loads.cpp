#include "model/simulate/link_loads.h"

#include <algorithm>
#include <map>

namespace dsim {

namespace {

std::string label(const Topology& t, LinkId id) {
  const Link link = t.link(id);
  const VertexKind from = t.vertex_kind(link.from), to = t.vertex_kind(link.to);
  if (link.kind == LinkKind::nvlink) return "NVLink";
  if (link.kind == LinkKind::xgmi) return "xGMI";
  if (link.kind == LinkKind::c2c) return "NVLink-C2C";
  if (link.kind == LinkKind::socket) return "socket link";
  if (link.kind == LinkKind::pcie) return "PCIe";
  if (from == VertexKind::nic) return "NIC uplink";
  if (to == VertexKind::nic) return "NIC downlink";
  if (from == VertexKind::leaf) return "leaf uplink";
  if (to == VertexKind::leaf) return "leaf downlink";
  return "spine link";
}

}  // namespace

std::vector<LinkUse> link_uses(const Scenario& scenario, const Outcome& outcome) {
  std::vector<LinkUse> result;
  if (!outcome.calls) return result;
  const Topology& topology = scenario.plans->topology();
  std::map<const Plan*, std::vector<std::string>> labels;
  std::vector<std::map<std::string, double>> busiest_of;  // by prepared call
  for (const Call& call : outcome.calls->prepared()) {
    std::map<std::string, double>& busiest = busiest_of.emplace_back();
    if (call.plan == nullptr) continue;
    const LinkResources& links = *call.plan->resources;
    std::vector<double> bytes(links.size(), 0);
    for (std::size_t group = 0; group < call.plan->schedules.size(); ++group)
      for (std::uint32_t channel = 0; channel < call.granularity[group].channels; ++channel)
        for (const Load& load : links.channel_loads(group, channel))
          bytes[load.resource] += load.coefficient * call.granularity[group].channel_bytes();
    auto& names = labels[call.plan];
    if (names.empty())
      for (std::size_t r = 0; r < links.size(); ++r)
        names.push_back(label(topology, links.sample(r)));
    for (std::size_t r = 0; r < links.size(); ++r) {
      double& busy = busiest[names[r]];
      busy = std::max(busy, bytes[r] / links.capacity(r, scenario.collective));
    }
  }
  for (std::size_t i = 0; i < outcome.workload->collectives.size(); ++i)
    for (const auto& [name, busy] : busiest_of[outcome.calls->prepared_index(i)])
      result.push_back({name, i, busy});
  return result;
}

}  // namespace dsim
