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

// Longest path of a stream; each hop costs `send` + latency, the last operation only receives.
Depth deepest_stream(const Schedule& s, std::uint32_t channel, const StepCost& cost, double send) {
  Depth deepest;
  for (const PathShape& path : s.longest_paths[channel]) {
    const double hops = path.local + path.network;
    const double seconds = hops * send + path.local * cost.local_latency +
                           path.network * cost.network_latency + path.link_seconds +
                           send * receive_only;
    if (seconds > deepest.seconds) deepest = {seconds, hops};
  }
  return deepest;
}

}  // namespace

StepCost step_cost(const Schedule& schedule, const Granularity& g, const CollectiveConstants& k) {
  const double ramp = std::min(1.0, std::sqrt(g.message_bytes / full_chunk));
  const double full = schedule.tree ? k.tree_latency : k.step_latency;
  StepCost cost;
  cost.overhead = k.slice_overhead * ramp;
  const double local = least_latency + std::max(0.0, full - least_latency) * ramp;
  cost.local_latency = std::max(0.0, local - cost.overhead);
  cost.network_latency = std::max(0.0, k.network_latency + k.network_post - cost.overhead);
  cost.rate = schedule.tree ? k.tree_rate : k.channel_rate;
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
// the full pipeline's rate: with the share f of the time that a channel moves, 1/r = f/rate + (1 -
// f)/cap.
double ring_chain(const Schedule& s, const Granularity& g, const StepCost& cost,
                  std::uint32_t channel, double rate, double cap) {
  const double k = static_cast<double>(s.rounds);
  const double latencies = longest_way_round(s, channel, cost) + k * cost.overhead;
  const double bytes = k * g.message_bytes;
  double seconds = latencies + bytes / g.slices / rate;
  for (int round = 0; round < 8; ++round) {
    const double moving = std::min(1.0, bytes / rate / seconds);
    const double slice_rate = 1 / (moving / rate + (1 - moving) / std::max(rate, cap));
    seconds = latencies + bytes / g.slices / slice_rate;
  }
  return seconds;
}

}  // namespace

AloneTime alone_time(const Schedule& s, const Granularity& g, const StepCost& cost,
                     std::uint32_t channel, double rate, double fill_rate) {
  const double overhead = g.slices * cost.overhead;
  const double busy = overhead + g.message_bytes / rate;  // of the CTA, a message
  if (s.pattern == Pattern::ring) {
    const double k = static_cast<double>(s.rounds), loops = static_cast<double>(g.loops);
    const double first = std::max(k * busy, ring_chain(s, g, cost, channel, rate, fill_rate));
    const double last = receive_only * busy;
    return {loops * (k + receive_only) * overhead,
            first + last + (loops - 1) * (k * busy + last) - loops * (k + receive_only) * overhead};
  }
  const double send = cost.overhead + g.message_bytes / fill_rate;
  const double fill = std::max(busy, deepest_stream(s, channel, cost, send).seconds);
  return {fill - busy, static_cast<double>(g.messages) * busy};
}

double occupancy(const Schedule& s, const Granularity& g, std::uint32_t channel) {
  if (s.pattern == Pattern::ring) return 1;
  const double hops = deepest_stream(s, channel, {}, 1).hops;
  return hops > 0 ? std::min(1.0, static_cast<double>(g.messages) / hops) : 1;
}

}  // namespace dsim
