#include "model/collective/timing.h"

#include <algorithm>
#include <cmath>

namespace dsim {

namespace {

double smooth_max(double x, double y, double exponent) {
  const double high = std::max(x, y), low = std::min(x, y);
  return high <= 0 ? 0 : high * std::pow(1 + std::pow(low / high, exponent), 1 / exponent);
}

// Time of a hop from its start to the start of the next one.
double hop(const Granularity& g, const StepCost& cost, bool network, double rate) {
  const double copy = g.message_bytes / rate;
  const double latency = network ? cost.network_latency : cost.local_latency;
  if (!cost.hides_latency) return g.slices * cost.overhead + copy + latency;
  return smooth_max(copy + g.slices * cost.overhead, copy / g.slices + latency, 4);
}

}  // namespace

double simple_ramp(double chunk_bytes) {
  constexpr double full_chunk = 64 << 10;
  return std::min(1.0, std::sqrt(chunk_bytes / full_chunk));
}

double simple_step(const GpuConstants& gpu, double chunk_bytes) {
  constexpr double least = 1.5e-6;
  const double full = gpu.step[static_cast<std::size_t>(Protocol::simple)];
  return least + std::max(0.0, full - least) * simple_ramp(chunk_bytes);
}

StepCost step_cost(const Schedule& s, const Granularity& g, Protocol protocol,
                   const CollectiveConstants& k, CollectiveOp op, double channels_per_nic) {
  const auto p = static_cast<std::size_t>(protocol);
  const bool between = s.nodes > 1;
  StepCost cost;
  cost.wire.fill(wire_factor(protocol));
  if (s.pattern == Pattern::ring) {
    cost.rate = k.gpu.rate[p];
    cost.local_latency = k.gpu.step[p];
    cost.network_latency =
        protocol == Protocol::ll ? k.network.ll_hop + k.network.post : k.network.simple_hop;
    cost.last_operation = k.gpu.last_operation;
    cost.fill = k.gpu.fill;
    if (protocol != Protocol::simple) return cost;
    cost.overhead = k.gpu.slice_overhead * simple_ramp(g.message_bytes);
    cost.local_latency = simple_step(k.gpu, g.message_bytes);
    cost.network_latency = k.network.simple_hop + k.network.post;
    cost.hides_latency = true;
    if (between && op != CollectiveOp::all_reduce)
      cost.rate = std::min<double>(cost.rate, k.gpu.gather_rate);
    return cost;
  }
  cost.network_latency = protocol == Protocol::simple ? k.network.simple_hop : k.network.ll_hop;
  cost.post = between ? k.network.post * std::max(1.0, channels_per_nic) : 0;
  switch (s.mechanics) {
    case Mechanics::nvls:
    case Mechanics::nvls_tree: {
      // Rates are busbw: 2 (g - 1) / g times the bytes of the whole vector, which `blocks` heads on
      // every channel share.
      const double heads = static_cast<double>(s.blocks);
      const double bus = 2 * (heads - 1) / heads;
      const bool tree = s.mechanics == Mechanics::nvls_tree;
      const double loop = k.gpu.nvls_loop * (tree ? k.gpu.nvls_tree_loop : 1.0);
      const double rate = k.gpu.nvls_rate / bus / (g.channels * heads);
      // CTAs are not in step: the links serve others while one is between loops.
      cost.rate = g.message_bytes / (loop + g.message_bytes / rate);
      cost.local_latency = (tree ? k.gpu.nvls_tree_latency : k.gpu.nvls_latency) - k.gpu.launch;
      if (tree) cost.network_latency = k.network.simple_hop, cost.post = 0;
      cost.wire[static_cast<std::size_t>(LinkKind::nvlink)] =
          bus / (k.gpu.nvls_link / (tree ? k.gpu.nvls_tree_link : 1.0));
      cost.unit_bytes = g.message_bytes;
      cost.sharpness = tree ? 8 : 0;
      return cost;
    }
    case Mechanics::chain:
      cost.rate = k.gpu.rate[p] * (protocol == Protocol::ll128 ? k.gpu.copy_gain : 1.0);
      cost.local_latency = k.gpu.step[p];
      break;
    default:
      cost.rate = k.gpu.tree_rate[p];
      cost.local_latency = k.gpu.tree_step[p];
      if (protocol == Protocol::simple) cost.local_latency *= simple_ramp(g.message_bytes);
      break;
  }
  cost.unit_bytes = g.message_bytes / g.slices;
  cost.last_operation = 1;
  return cost;
}

double launch_seconds(const Schedule& s, const CollectiveConstants& k) {
  if (s.mechanics != Mechanics::host) return k.gpu.launch;
  return s.ranks == 1 ? k.cpu.local_message : 0.0;
}

// NCCL_STEPS = 8 steps a FIFO; a slice of Simple in a ring takes sliceSteps = 2 of them, another
// message one (NVIDIA/nccl src/include/collectives.h). Over a network there are the sender's and
// the receiver's FIFO in a row, which the proxies join.
std::int64_t fifo_slices(Pattern pattern, const Granularity& g, const StepCost& cost) {
  constexpr std::int64_t steps = 8;
  if (pattern == Pattern::ring) return cost.hides_latency ? steps / 2 : steps;
  return steps * g.slices;
}

double channel_work(const Schedule& s, const Granularity& g, const StepCost& cost) {
  const double sends = static_cast<double>(g.messages);
  const double extra = s.pattern == Pattern::ring
                           ? cost.last_operation * static_cast<double>(g.loops) + cost.fill
                           : 0;
  return (sends + extra) * g.message_bytes;
}

double slice_latency(const Granularity& g, const StepCost& cost, bool network, double rate) {
  const double latency = network ? cost.network_latency : cost.local_latency;
  if (!cost.hides_latency) return latency;
  const double busy = cost.overhead + g.message_bytes / g.slices / rate;
  return std::max(0.0, hop(g, cost, network, rate) - busy);
}

AloneTime alone_time(const Schedule& s, const Granularity& g, const StepCost& cost,
                     std::uint32_t channel, const HopRates& rates) {
  if (s.pattern == Pattern::ring) {
    const double k = static_cast<double>(s.rounds), loops = static_cast<double>(g.loops);
    const double copy = g.message_bytes / rates.channel;
    const double inside = hop(g, cost, false, rates.channel);
    const double between = hop(g, cost, true, rates.channel);
    double first = 0;
    for (const PathShape& path : s.longest_paths[channel])
      first = std::max(first, path.local * inside + path.network * between + path.link_seconds);
    const double later =
        s.nodes == 1 || !cost.hides_latency ? k * inside : k * (copy + g.slices * cost.overhead);
    const double tail = (cost.last_operation * loops + cost.fill) * copy;
    const double overhead = loops * k * g.slices * cost.overhead;
    return {overhead, std::max(first + (loops - 1) * later + tail - overhead, copy)};
  }
  double fill = 0;
  for (const PathShape& path : s.longest_paths[channel])
    fill = std::max(fill, path.local * (cost.local_latency + cost.unit_bytes / rates.local) +
                              path.network * (cost.network_latency + cost.post +
                                              g.message_bytes / rates.network) +
                              path.link_seconds);
  const bool nvls = s.mechanics == Mechanics::nvls || s.mechanics == Mechanics::nvls_tree;
  if (nvls) fill -= cost.unit_bytes / rates.local;  // the first loop is among the messages
  const double worker = cost.overhead + g.message_bytes / cost.rate;
  const double inside = std::max(worker, g.message_bytes / rates.local);
  const double network = std::max(g.message_bytes / rates.between, cost.post * rates.network_load);
  const double stage =
      cost.sharpness > 0 ? smooth_max(inside, network, cost.sharpness) : std::max(inside, network);
  return {std::max(0.0, fill), static_cast<double>(g.messages) * stage};
}

double occupancy(const Schedule& s, const Granularity& g, std::uint32_t channel) {
  if (s.pattern == Pattern::ring) return 1;
  std::uint32_t hops = 0;
  for (const PathShape& path : s.longest_paths[channel])
    hops = std::max(hops, path.local + path.network);
  return hops > 0 ? std::min(1.0, static_cast<double>(g.messages) / hops) : 1;
}

}  // namespace dsim
