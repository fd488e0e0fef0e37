#include "model/collective/round_costs.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/collective/timing.h"
#include "sim/network/link_defaults.h"

namespace dsim {

namespace {

constexpr double full_copy = 16 << 10;  // send-receive: messages below this cost less
constexpr double least_channel = 64 << 10, most_channel = 16 << 20;

RoundCost copy_cost(const RoundCall& call, const CollectiveConstants& k) {
  RoundCost cost;
  const double channels = copy_channels(call);
  cost.rate_local = channels * k.gpu.copy_rate;
  cost.rate_network = std::max(1u, call.p2p_per_peer) * k.gpu.copy_rate;
  cost.self_copy_rate = k.gpu.self_copy;
  cost.latency_local =
      k.gpu.copy_latency + k.gpu.copy_step * std::min(1.0, call.largest_message / full_copy);
  cost.latency_network =
      cost.latency_local + k.network.ll_hop + k.network.post * std::max(1u, call.network_messages);
  for (std::size_t kind = 0; kind < link_kind_count; ++kind)
    cost.wire[kind] = is_network(static_cast<LinkKind>(kind))    ? 1 / k.network.copy_share
                      : is_gpu_link(static_cast<LinkKind>(kind)) ? 1 / k.gpu.copy_link
                                                                 : 1.0;
  return cost;
}

// Ring kernels' costs of a step, on as many channels as a ring would open for the bytes.
RoundCost kernel_cost(Mechanics mechanics, const RoundCall& call, const CollectiveConstants& k) {
  RoundCost cost;
  const auto p = static_cast<std::size_t>(call.protocol);
  const double per_channel = call.protocol == Protocol::ll      ? 4 << 10
                             : call.protocol == Protocol::ll128 ? 16 << 10
                                                                : 32 << 10;
  const double channels = std::clamp(std::floor(call.largest_message / per_channel), 1.0,
                                     static_cast<double>(std::max(1u, call.channels)));
  const bool gather =
      call.op == CollectiveOp::all_gather || call.op == CollectiveOp::reduce_scatter;
  const double rate = call.protocol == Protocol::simple && gather && call.nodes > 1
                          ? std::min<double>(k.gpu.rate[p], k.gpu.gather_rate)
                          : k.gpu.rate[p];
  cost.rate_local = cost.rate_network = channels * rate;
  cost.wire.fill(wire_factor(call.protocol));
  cost.latency_local = k.gpu.step[p];
  cost.latency_network = k.network.ll_hop + k.network.post;
  if (call.protocol == Protocol::simple) {
    cost.latency_local = simple_step(k.gpu, call.largest_message / channels);
    cost.latency_network = k.network.simple_hop + k.network.post;
  }
  // PAT posts for many peers at once and hides most of the hop (NVIDIA/nccl src/graph/tuning.cc
  // counts a network step / 3.5).
  if (mechanics == Mechanics::pat) cost.latency_network /= 3.5;
  return cost;
}

RoundCost cpu_cost(const CollectiveConstants& k) {
  RoundCost cost;
  cost.latency_local = k.cpu.local_message;
  cost.latency_network = k.cpu.network_message;
  cost.rate_local = k.cpu.local_rate;
  cost.rate_network = k.cpu.connection_rate;
  cost.reduce_rate = k.cpu.reduce_rate;
  cost.self_copy_rate = k.cpu.local_rate;
  return cost;
}

}  // namespace

std::uint32_t copy_channels(const RoundCall& call) {
  const std::uint32_t all = std::min(32u, call.p2p_channels ? call.p2p_channels : call.channels);
  const std::uint32_t shared =
      std::max(1u, std::bit_ceil(std::max(1u, all)) / std::bit_ceil(std::max(1u, call.ranks)));
  std::uint32_t channels = shared;
  if (call.nodes == 1)
    while (channels < 32 && call.largest_message / channels > most_channel) channels *= 2;
  while (channels > 1 && call.largest_message / channels < least_channel) channels /= 2;
  return channels;
}

RoundCost round_cost(Mechanics mechanics, const RoundCall& call, const CollectiveConstants& k) {
  switch (mechanics) {
    case Mechanics::copy:
      return copy_cost(call, k);
    case Mechanics::host:
      return cpu_cost(k);
    default:
      return kernel_cost(mechanics, call, k);
  }
}

PathOf host_paths(PathOf paths) {
  return [paths = std::move(paths)](std::uint32_t from, std::uint32_t to, MessagePath& out) {
    paths(from, to, out);
    std::erase_if(out.loads, [](const PathLoad& load) { return !is_network(load.kind); });
  };
}

}  // namespace dsim
