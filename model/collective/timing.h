#pragma once
#include "model/collective/constants.h"
#include "model/collective/granularity.h"

namespace dsim {

/// What one message of a call costs on a kind of connection, seconds; rate-independent parts.
struct StepCost {
  double overhead = 0;         ///< per slice, the sending CTA is busy with it
  double local_latency = 0;    ///< from the end of a slice to its arrival, inside a node
  double network_latency = 0;  ///< same over the network
  double rate = 0;             ///< B/s of one connection at most

  double latency(const Connection& c) const {
    return (c.network ? network_latency : local_latency) + c.latency;
  }
};

/// The Simple protocol: latency and overhead of a step shrink with chunks below 64 KiB as the
/// square root of the size, to a floor of 1.5 us (docs/collectives.md).
StepCost step_cost(const Schedule& schedule, const Granularity& granularity,
                   const CollectiveConstants& constants);

/// Work of a channel, in bytes per connection, including the last receive-only operation of each
/// loop of a ring, which keeps a CTA half as long as a send.
double channel_work(const Schedule& schedule, const Granularity& granularity);

/// Seconds one channel needs with the network to itself, without the launch.
struct AloneTime {
  double overhead = 0;  ///< links are (nearly) free for others: CTA overheads; a stream's filling
  double moving = 0;    ///< the rest
};

/// Rates of one connection, B/s: with the pipeline full, and when the channel has its links to
/// itself.
struct HopRates {
  double full = 0, single = 0;
};

/// Longest path through workers and connections.
///   ring of k rounds: max(k busy, longest chain of k hops), busy = slices x o + c/rate,
///     hop = o + c/slices/r + latency; then the last operation, which only receives.
///   stream of m messages: deepest path of hops at the single rates + (m - 1) busy.
/// `rate` is the slower of the two full rates.
AloneTime alone_time(const Schedule& schedule, const Granularity& granularity, const StepCost& cost,
                     std::uint32_t channel, HopRates local, HopRates network);

/// Share of the hops of a channel that can move at the same time: 1 for a ring; a stream with fewer
/// messages than hops on its deepest path never fills.
double occupancy(const Schedule& schedule, const Granularity& granularity, std::uint32_t channel);

}  // namespace dsim
