#include "model/collective/prepare.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dsim {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::vector<double> max_min_of(const std::vector<std::vector<Load>>& loads,
                               std::vector<double> capacities, std::span<const double> caps) {
  MaxMinProblem problem;
  problem.capacity = std::move(capacities);
  for (std::size_t i = 0; i < loads.size(); ++i) problem.add(caps[i], 1, loads[i]);
  std::vector<double> rates(loads.size());
  MaxMinScratch scratch;
  max_min_rates(problem, rates, scratch);
  return rates;
}

// Loads of every channel on the wire.
std::vector<std::vector<Load>> wire_loads(const Granularity& g, const StepCost& cost,
                                          const LinkResources& resources, std::size_t index) {
  std::vector<std::vector<Load>> result(g.channels);
  for (std::uint32_t channel = 0; channel < g.channels; ++channel)
    for (Load load : resources.channel_loads(index, channel)) {
      load.coefficient *= cost.wire[static_cast<std::size_t>(resources.kind(load.resource))];
      result[channel].push_back(load);
    }
  return result;
}

}  // namespace

std::vector<HopRates> alone_rates(const Schedule& schedule, const Granularity& g,
                                  const StepCost& cost, const LinkResources& resources,
                                  std::size_t index, std::span<const double> capacities) {
  const auto loads = wire_loads(g, cost, resources, index);
  std::vector<double> all(capacities.begin(), capacities.end());
  std::vector<HopRates> rates(g.channels);
  // A CTA, and a connection that is limited by itself: sockets.
  std::vector<double> caps(g.channels, cost.rate);
  for (std::uint32_t c = 0; c < g.channels; ++c)
    for (auto i = schedule.first_connection[c]; i < schedule.first_connection[c + 1]; ++i)
      if (const double limit = schedule.connections[i].limit; limit > 0)
        caps[c] = std::min(caps[c], limit);
  const std::vector<double> full = max_min_of(loads, all, caps);
  for (std::uint32_t c = 0; c < g.channels; ++c)
    rates[c] = {full[c], full[c], full[c], infinite, 1};
  if (schedule.nodes == 1 || schedule.pattern == Pattern::ring) return rates;

  for (std::size_t r = 0; r < all.size(); ++r)
    if (resources.between_nodes(r)) all[r] = infinite;
  const std::vector<double> local =
      max_min_of(loads, std::move(all), std::vector<double>(g.channels, cost.rate));
  // Every channel crosses each of its network links once.
  std::vector<double> crossings(resources.size(), 0), total(resources.size(), 0);
  for (const auto& row : loads)
    for (const Load& load : row) {
      const double wire = cost.wire[static_cast<std::size_t>(resources.kind(load.resource))];
      crossings[load.resource] += std::min(wire, load.coefficient);
      total[load.resource] += load.coefficient;
    }
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    rates[c].local = local[c];
    rates[c].network = caps[c] < cost.rate ? caps[c] : infinite;
    rates[c].between = rates[c].network;
    for (const Load& load : loads[c])
      if (resources.between_nodes(load.resource)) {
        rates[c].network =
            std::min(rates[c].network, capacities[load.resource] / crossings[load.resource]);
        rates[c].network_load =
            std::max(rates[c].network_load, total[load.resource] / crossings[load.resource]);
      }
    if (rates[c].network == infinite) rates[c].network = full[c];
    for (const Load& load : loads[c])
      if (resources.between_nodes(load.resource))
        rates[c].between =
            std::min(rates[c].between, capacities[load.resource] / total[load.resource]);
  }
  return rates;
}

void prepare_fluid(const Schedule& schedule, const LinkResources& resources, std::size_t index,
                   const Granularity& g, const StepCost& cost, std::span<const double> capacities,
                   std::uint32_t first_resource, FluidCollective& call) {
  if (!schedule.connections.empty()) {
    const auto rates = alone_rates(schedule, g, cost, resources, index, capacities);
    auto loads = wire_loads(g, cost, resources, index);
    const double work = channel_work(schedule, g, cost);
    for (std::uint32_t channel = 0; channel < g.channels; ++channel) {
      const AloneTime alone = alone_time(schedule, g, cost, channel, rates[channel]);
      const double cap = work / alone.moving;
      // A stream that does not fill loads its links only with the hops that move at the same time;
      // no activity may load a link beyond what it was alone on.
      double moving = occupancy(schedule, g, channel);
      for (const Load& load : loads[channel])
        moving = std::min(moving, capacities[load.resource] / (load.coefficient * cap));
      for (Load& load : loads[channel]) {
        load.coefficient *= moving;
        load.resource += first_resource;
      }
      call.activities.push_back({alone.overhead, work, cap, std::move(loads[channel])});
    }
  }
  call.end_stage();
}

}  // namespace dsim
