#pragma once
#include <span>
#include <vector>

#include "model/collective/fluid_run.h"
#include "model/collective/link_resources.h"
#include "model/collective/timing.h"

namespace dsim {

/// Appends a call as coupled activities, one a channel, to `call`; one stage. The cap of a channel
/// is its work over the time it moves when alone, so that a call without company takes exactly its
/// closed-form time and one in company gets its max-min share. Time in which CTAs are busy without
/// moving anything comes first. Resources of `resources` count from `first_resource` in the
/// network.
void prepare_fluid(const Schedule& schedule, const LinkResources& resources,
                   std::size_t schedule_index, const Granularity& granularity, const StepCost& cost,
                   std::span<const double> capacities, std::uint32_t first_resource,
                   FluidCollective& call);

/// Rates of a connection of every used channel when the collective has the network to itself:
/// max-min over its channels, each limited by the CTA.
std::vector<HopRates> alone_rates(const Schedule& schedule, const Granularity& granularity,
                                  const StepCost& cost, const LinkResources& resources,
                                  std::size_t schedule_index, std::span<const double> capacities);

}  // namespace dsim
