#include "model/collective/prepare.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dsim {

std::vector<double> alone_rates(const Granularity& granularity, const LinkResources& resources,
                                std::size_t schedule_index, std::vector<double> capacities,
                                double channel_cap) {
  MaxMinProblem problem;
  problem.capacity = std::move(capacities);
  for (std::uint32_t channel = 0; channel < granularity.channels; ++channel)
    problem.add(channel_cap, 1, resources.channel_loads(schedule_index, channel));
  std::vector<double> rates(granularity.channels);
  MaxMinScratch scratch;
  max_min_rates(problem, rates, scratch);
  return rates;
}

FluidCollective prepare_fluid(const Schedule& schedule, const LinkResources& resources,
                              std::size_t schedule_index, Bytes size,
                              const CollectiveConstants& constants,
                              std::span<const double> capacities) {
  FluidCollective result;
  result.launch_seconds = constants.launch;
  if (schedule.connections.empty() || size.count == 0) return result;
  const Granularity g = granularity(schedule, size);
  const StepCost cost = step_cost(schedule, g, constants);
  // A stream that never fills loads its links only with the hops that move at the same time.
  const double moving = occupancy(schedule, g, 0);
  std::vector<double> all(resources.size()), local(resources.size());
  for (std::size_t r = 0; r < resources.size(); ++r) {
    all[r] = capacities[r] / moving;
    local[r] = resources.between_nodes(r) ? std::numeric_limits<double>::infinity() : all[r];
  }
  const auto full = alone_rates(g, resources, schedule_index, all, cost.rate);
  const auto local_full = alone_rates(g, resources, schedule_index, std::move(local), cost.rate);
  for (std::uint32_t channel = 0; channel < g.channels; ++channel) {
    const auto loads = resources.channel_loads(schedule_index, channel);
    const double work = channel_work(schedule, g);
    HopRates inside{local_full[channel], cost.rate}, between{full[channel], cost.rate};
    for (const Load& load : loads) {
      double& single = resources.between_nodes(load.resource) ? between.single : inside.single;
      single = std::min(single, capacities[load.resource] / std::min(1.0, load.coefficient));
    }
    inside.single = std::max(inside.single, inside.full);
    between.single = std::max(between.single, between.full);
    const AloneTime alone = alone_time(schedule, g, cost, channel, inside, between);
    result.channels.push_back(
        {alone.overhead, work, work / alone.moving, {loads.begin(), loads.end()}});
    for (Load& load : result.channels.back().loads) load.coefficient *= moving;
  }
  return result;
}

double closed_seconds(const FluidCollective& collective) {
  double slowest = 0;
  for (const ChannelActivity& channel : collective.channels)
    slowest = std::max(slowest, channel.delay_seconds + channel.work / channel.cap);
  return collective.launch_seconds + slowest;
}

}  // namespace dsim
