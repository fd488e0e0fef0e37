#pragma once
#include <span>
#include <vector>

#include "model/collective/fluid_run.h"
#include "model/collective/link_resources.h"
#include "model/collective/timing.h"

namespace dsim {

/// Rate of every used channel when the collective has the network to itself, B/s per hop: max-min
/// over its channels, each limited by `channel_cap`. Capacities are those of `resources`; an
/// infinite one does not limit.
std::vector<double> alone_rates(const Granularity& granularity, const LinkResources& resources,
                                std::size_t schedule_index, std::vector<double> capacities,
                                double channel_cap);

/// A call as coupled activities, one a channel. The cap of a channel is its work over the time it
/// moves when alone, so that a call without company takes exactly its closed-form time and one in
/// company gets its max-min share. Time in which CTAs are busy without moving anything comes first.
FluidCollective prepare_fluid(const Schedule& schedule, const LinkResources& resources,
                              std::size_t schedule_index, Bytes size,
                              const CollectiveConstants& constants,
                              std::span<const double> capacities);

/// Launch plus the slowest channel, alone on the network.
double closed_seconds(const FluidCollective& collective);

}  // namespace dsim
