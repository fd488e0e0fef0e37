#include "model/collective/nccl/choice.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/collective/algorithm.h"
#include "model/collective/nccl/tuning_limits.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

// NCCL_MAX_DEV_WORK_BATCH_COLLS: so many grouped operations share one latency where they pipeline.
constexpr int pipelined_operations = 8;
// fp8 sums lose precision along a deep ring: rings of more than so many ranks come last.
constexpr std::uint32_t exact_ring_ranks = 8;
constexpr double last_resort = 1024;
// NCCL_P2P_LL_THRESHOLD, bytes a channel; on the network LL is off by default.
constexpr double p2p_ll_bytes = 16384;

// Operations that NCCL runs as grouped sends and receives; nothing is estimated.
NcclChoice point_to_point(const NcclGraphs& graphs, const NcclMachine& machine, CollectiveOp op,
                          Bytes size) {
  NcclChoice choice;
  choice.algorithm = "direct";
  const double part = static_cast<double>(size.count) /
                      (op == CollectiveOp::sendrecv ? 1 : std::max(1u, machine.ranks));
  if (machine.nodes <= 1 && part <= p2p_ll_bytes * std::max(1, graphs.p2p_channels_per_peer))
    choice.protocol = Protocol::ll;
  return choice;
}

bool is_fp8(DataType type) { return type == DataType::fp8_e4m3 || type == DataType::fp8_e5m2; }

// NCCL_ALGO=CollNet (and nothing else) where there is none: until 2.23 ring and tree run instead.
void spare_collnet(const TuningCase& c, TuningFilter& filter, const NcclSettings& settings,
                   NcclChoice& choice) {
  if (!filter.algorithms_given || !c.rules.collnet_hidden) return;
  if (settings.collnet_enable.value_or(false) && c.graphs.collnet_chain.channels > 0) return;
  for (const auto a :
       {NcclAlgorithm::ring, NcclAlgorithm::tree, NcclAlgorithm::nvls, NcclAlgorithm::nvls_tree})
    if (filter.has(a)) return;
  filter.algorithms |= 1u << static_cast<int>(NcclAlgorithm::ring);
  filter.algorithms |= 1u << static_cast<int>(NcclAlgorithm::tree);
  choice.notice = "NCCL_ALGO asks for CollNet only, which is not there: ring and tree are taken";
}

void take_least(NcclChoice& choice) {
  const NcclEstimate* best = nullptr;
  for (const NcclEstimate& e : choice.estimates)
    if (e.possible && (best == nullptr || e.microseconds < best->microseconds)) best = &e;
  if (best == nullptr) return;
  choice.algorithm = best->algorithm;
  choice.protocol = best->protocol;
  choice.microseconds = best->microseconds;
}

}  // namespace

NcclMachine nccl_machine(const Communicator& c) {
  return {c.architecture, std::string(c.topology->cpu_vendor()), c.size(),
          static_cast<std::uint32_t>(c.nodes.size()), 0};
}

NcclChoice choose_nccl(const NcclGraphs& graphs, const NcclMachine& machine,
                       const NcclSettings& settings, CollectiveOp op, Bytes size, DataType type,
                       int operations) {
  switch (op) {
    case CollectiveOp::all_to_all:
    case CollectiveOp::sendrecv:
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return point_to_point(graphs, machine, op, size);
    case CollectiveOp::barrier:
      // torch.distributed.barrier is an all_reduce of one element.
      op = CollectiveOp::all_reduce;
      type = DataType::float32;
      size = size_of(type);
      break;
    default:
      break;
  }
  NcclChoice choice;
  if (machine.ranks < 2) return choice;
  require(machine.nodes > 0 && machine.ranks >= machine.nodes, "a node holds a rank at least");
  require(graphs.ring.channels > 0, "NCCL always has a ring");
  const TuningCase c = tuning_case(graphs, machine, settings.version, op);
  if (is_fp8(type) && !c.rules.fp8)
    throw InputError(
        fmt::format("NCCL has fp8 from 2.24 on, this is {}", to_string(settings.version)));

  TuningFilter filter = tuning_filter(settings, op);
  spare_collnet(c, filter, settings, choice);
  const int channels = std::max(1, graphs.channels);
  const int waves = std::max(1, (operations + channels - 1) / channels);
  bool any = false;
  choice.estimates.reserve(nccl_algorithm_count * nccl_protocol_count);
  for (std::size_t i = 0; i < nccl_algorithm_count; ++i)
    for (std::size_t j = 0; j < nccl_protocol_count; ++j) {
      const auto a = static_cast<NcclAlgorithm>(i);
      const auto p = static_cast<Protocol>(j);
      NcclEstimate& e = choice.estimates.emplace_back();
      e.algorithm = name_of(a);
      e.protocol = p;
      e.reason = tuning_limit(c, settings, type, a, p);
      if (!e.reason.empty()) continue;
      const SizeFactors factors = size_factors(c, a, p, size);
      e.latency_us = tuning_latency(c, a, p) * factors.latency;
      e.bandwidth_gbps = tuning_bandwidth(c, a, p) * factors.bandwidth;
      if (e.bandwidth_gbps <= 0) {
        e.reason = "no bandwidth in NCCL's table";
        continue;
      }
      const int latencies = a == NcclAlgorithm::ring
                                ? waves
                                : (waves + pipelined_operations - 1) / pipelined_operations;
      e.microseconds =
          e.latency_us * latencies + static_cast<double>(size.count) / (1000 * e.bandwidth_gbps);
      if (a == NcclAlgorithm::ring && is_fp8(type) && machine.ranks > exact_ring_ranks)
        e.microseconds *= last_resort;
      e.reason = tuning_filtered(c, filter, a, p);
      e.possible = e.reason.empty();
      any = any || e.possible;
    }
  if (!any && c.rules.nothing_left == TuningRules::Left::ring) {
    for (NcclEstimate& e : choice.estimates)
      if (e.algorithm == name_of(NcclAlgorithm::ring) && filter.has(e.protocol)) {
        TuningFilter open = filter;
        open.algorithms = 0xff;
        e.reason = tuning_filtered(c, open, NcclAlgorithm::ring, e.protocol);
        e.possible = e.reason.empty();
        any = any || e.possible;
      }
    choice.notice = "NCCL_ALGO and NCCL_PROTO leave nothing for this operation: ring";
  }
  if (!any)
    throw InputError(fmt::format(
        "NCCL {} stops: no algorithm or protocol is left for {} of {}{}{}",
        to_string(settings.version), name_of(op), name_of(type),
        settings.algo.empty() ? "" : fmt::format("; NCCL_ALGO is {}", settings.algo),
        settings.proto.empty() ? "" : fmt::format("; NCCL_PROTO is {}", settings.proto)));
  take_least(choice);
  return choice;
}

}  // namespace dsim
