#pragma once
#include "model/collective/constants.h"
#include "model/collective/schedule.h"

namespace dsim {

/// What one message of a call costs on a kind of connection, seconds; rate-independent parts.
struct StepCost {
  double overhead = 0;        ///< per slice, the sending CTA is busy with it
  double local_latency = 0;   ///< from the end of a slice to its arrival, inside a node
  double network_latency = 0; ///< same over the network
  double rate = 0;            ///< B/s of one connection at most

  double latency(const Connection& c) const {
    return (c.network ? network_latency : local_latency) + c.latency;
  }
};

/// The Simple protocol: latency and overhead of a step shrink with chunks below 64 KiB as the square
/// root of the size, to a floor of 1.5 us (docs/collectives.md).
StepCost step_cost(const Schedule& schedule, const Granularity& granularity,
                   const CollectiveConstants& constants);

/// Work of a channel, in bytes per connection, including the last receive-only operation of each loop
/// of a ring, which keeps a CTA half as long as a send.
double channel_work(const Schedule& schedule, const Granularity& granularity);

/// Seconds the collective takes when every connection moves at `rate` (<= step rate) and nothing
/// contends, without the launch. Longest path through workers and connections.
double alone_seconds(const Schedule& schedule, const Granularity& granularity, const StepCost& cost,
                     std::uint32_t channel, double rate);

}  // namespace dsim
