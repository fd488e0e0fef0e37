#include "model/collective/timing.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dsim {

namespace {

constexpr double full_chunk = 64 << 10;   // chunks below this cost less latency
constexpr double least_latency = 1.5e-6;  // s
constexpr double receive_only = 0.5;      // cost of an operation that only receives

// Longest chain of `rounds` hops around the ring, from the best start.
double longest_way_round(const Schedule& s, std::uint32_t channel, const StepCost& cost) {
  const std::uint32_t first = s.first_connection[channel];
  const auto n = static_cast<std::int64_t>(s.first_connection[channel + 1] - first);
  if (n == 0) return 0;
  double turn = 0;
  for (std::int64_t i = 0; i < n; ++i)
    turn += cost.latency(s.connections[first + static_cast<std::uint32_t>(i)]);
  const std::int64_t rest = s.rounds % n;
  const auto at = [&](std::int64_t i) {
    return cost.latency(s.connections[first + static_cast<std::uint32_t>(i % n)]);
  };
  double window = 0;
  for (std::int64_t i = 0; i < rest; ++i) window += at(i);
  double best = window;
  for (std::int64_t i = 0; i < n; ++i) {
    window += at(i + rest) - at(i);
    best = std::max(best, window);
  }
  return static_cast<double>(s.rounds / n) * turn + best;
}

struct Depth {
  double seconds = 0, hops = 0;
};

// Longest path of a stream; each hop costs a send and its latency, the last operation only
// receives.
Depth deepest_stream(const Schedule& s, std::uint32_t channel, const StepCost& cost,
                     double local_send, double network_send) {
  Depth deepest;
  for (const PathShape& path : s.longest_paths[channel]) {
    const double hops = path.local + path.network;
    const double seconds = path.local * (local_send + cost.local_latency) +
                           path.network * (network_send + cost.network_latency) +
                           path.link_seconds + local_send * receive_only;
    if (seconds > deepest.seconds) deepest = {seconds, hops};
  }
  return deepest;
}

}  // namespace

StepCost step_cost(const Schedule& schedule, const Granularity& g, const CollectiveConstants& k) {
  const double ramp = std::min(1.0, std::sqrt(g.message_bytes / full_chunk));
  const double full = schedule.mechanics == Mechanics::tree ? k.tree_latency : k.step_latency;
  StepCost cost;
  cost.overhead = k.slice_overhead * ramp;
  const double local = least_latency + std::max(0.0, full - least_latency) * ramp;
  cost.local_latency = std::max(0.0, local - cost.overhead);
  cost.network_latency = std::max(0.0, k.network_latency + k.network_post - cost.overhead);
  cost.rate = schedule.mechanics == Mechanics::tree ? k.tree_rate : k.channel_rate;
  return cost;
}

double channel_work(const Schedule& schedule, const Granularity& g) {
  const double sends = static_cast<double>(g.messages);
  const double extra =
      schedule.pattern == Pattern::ring ? receive_only * static_cast<double>(g.loops) : 0;
  return (sends + extra) * g.message_bytes;
}

namespace {

// Longest chain of hops of one loop. While latency leaves the links idle, a slice moves faster than
// in the full pipeline: with the share f of the time that a channel moves, 1/r = f/full + (1 -
// f)/single.
double ring_chain(const Schedule& s, const Granularity& g, const StepCost& cost,
                  std::uint32_t channel, HopRates local, HopRates network) {
  const std::uint32_t first = s.first_connection[channel], last = s.first_connection[channel + 1];
  double crossings = 0;
  for (std::uint32_t c = first; c < last; ++c) crossings += s.connections[c].network;
  const double k = static_cast<double>(s.rounds), between = crossings / (last - first);
  const double fixed = longest_way_round(s, channel, cost) + k * cost.overhead;
  const double bytes = k * g.message_bytes;
  const auto slices_at = [&](double moving) {
    const auto pace = [&](HopRates rates) {
      return moving / rates.full + (1 - moving) / rates.single;
    };
    return bytes / g.slices * ((1 - between) * pace(local) + between * pace(network));
  };
  const double full = std::min(local.full, network.full);
  double seconds = fixed + slices_at(1);
  for (int round = 0; round < 8; ++round)
    seconds = fixed + slices_at(std::min(1.0, bytes / full / seconds));
  return seconds;
}

}  // namespace

AloneTime alone_time(const Schedule& s, const Granularity& g, const StepCost& cost,
                     std::uint32_t channel, HopRates local, HopRates network) {
  const double overhead = g.slices * cost.overhead;
  const double busy = overhead + g.message_bytes / std::min(local.full, network.full);
  if (s.pattern == Pattern::ring) {
    const double k = static_cast<double>(s.rounds), loops = static_cast<double>(g.loops);
    const double first = std::max(k * busy, ring_chain(s, g, cost, channel, local, network));
    const double last = receive_only * busy;
    return {loops * (k + receive_only) * overhead,
            first + last + (loops - 1) * (k * busy + last) - loops * (k + receive_only) * overhead};
  }
  const double fill = std::max(
      busy, deepest_stream(s, channel, cost, cost.overhead + g.message_bytes / local.single,
                           cost.overhead + g.message_bytes / network.single)
                .seconds);
  return {fill - busy, static_cast<double>(g.messages) * busy};
}

double occupancy(const Schedule& s, const Granularity& g, std::uint32_t channel) {
  if (s.pattern == Pattern::ring) return 1;
  const double hops = deepest_stream(s, channel, {}, 1, 1).hops;
  return hops > 0 ? std::min(1.0, static_cast<double>(g.messages) / hops) : 1;
}

}  // namespace dsim
