#pragma once
#include <cstdint>
#include <span>

#include "model/collective/link_resources.h"
#include "model/collective/timing.h"

namespace dsim {

/// True if no link is ever short: the connections that cross it need less than its capacity when
/// all of them move at the CTAs' rate. Then nothing that happens on one connection changes the rate
/// of another.
bool never_contended(const Schedule& schedule, const Granularity& granularity, const StepCost& cost,
                     const LinkResources& resources, std::size_t schedule_index,
                     std::span<const double> capacities);

struct RingTimes {
  Time end;                    ///< of the last worker, from the launch
  std::uint64_t messages = 0;  ///< slices sent
};

/// What StepsRun would find for a ring without contention: the start and the end of every slice of
/// every message, from the recursion start = max(CTA free, input arrived, room in the FIFO) instead
/// of an event queue. Same times to the picosecond.
RingTimes ring_recursion(const Schedule& schedule, const Granularity& granularity,
                         const StepCost& cost, std::span<const HopRates> rates);

}  // namespace dsim
