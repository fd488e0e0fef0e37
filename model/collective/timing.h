#pragma once
#include <array>

#include "model/collective/constants.h"
#include "model/collective/granularity.h"
#include "model/collective/schedule.h"

namespace dsim {

/// What one message of a call costs, rate-independent parts in seconds. `ring` and `stream` only.
struct StepCost {
  double overhead = 0;         ///< per slice (ring) or message (stream), the CTA is busy with it
  double local_latency = 0;    ///< of a step inside a node
  double network_latency = 0;  ///< of a step over the network
  double post = 0;             ///< of one message to the network, its proxy is busy with it
  double rate = 0;             ///< B/s of data a connection moves at most
  double unit_bytes = 0;       ///< streams forward inside a node what has come in such units
  double last_operation = 0;   ///< cost of an operation that only receives, in sends
  double fill = 0;             ///< ring: cost of filling, in sends, once
  bool hides_latency = false;  ///< two slices: the latency of one runs beside the other's copy
  double sharpness = 0;        ///< exponent of the smooth maximum of a stream's stages; 0 = plain
  std::array<double, link_kind_count> wire{};  ///< bytes on a link per byte of data, by kind
};

/// Share of a Simple step's latency that a chunk pays: the root of its size below 64 KiB. Fitted on
/// nccl-tests tables of Simple alone (EFA) and of a ring forced on B300, whose steps are flat to
/// 32 KiB (docs/collectives.md).
double simple_ramp(double chunk_bytes);
/// s: a Simple step between GPUs of a node; 1.5 us for the smallest chunk, from the same tables.
double simple_step(const GpuConstants& gpu, double chunk_bytes);

/// Costs of a call under a protocol. `channels_per_nic` channels share the proxy of a NIC.
/// docs/collectives.md has the formulas.
StepCost step_cost(const Schedule& schedule, const Granularity& granularity, Protocol protocol,
                   const CollectiveConstants& constants, CollectiveOp op, double channels_per_nic);

/// Seconds before anything moves: of a kernel; a lone rank of a CPU back end still makes its call.
double launch_seconds(const Schedule& schedule, const CollectiveConstants& constants);

/// Rates of one connection of a channel, B/s of data.
struct HopRates {
  double channel = 0;       ///< with the pipeline full: what links (all loads) and the CTA allow
  double local = 0;         ///< same without the links between nodes
  double network = 0;       ///< one crossing of the network, every channel crossing once
  double between = 0;       ///< what the links between nodes allow with the pipeline full
  double network_load = 1;  ///< crossings of a NIC per byte of a channel that uses it
};

/// Seconds one channel needs with the network to itself, without the launch.
struct AloneTime {
  double overhead = 0;  ///< links are (nearly) free for others: CTA overheads; a stream's filling
  double moving = 0;    ///< the rest
};

/// Longest path through workers and connections.
///   ring:   (k - m) P + m P' + (loops - 1) k P'' + (e loops + f) tau, m of a loop's k hops over the
///           network; P = tau + a, or max4(tau + 2 o, tau / 2 + a) with two slices
///   stream: deepest path of (a + unit / local), (h + post + chunk / network) + messages x stage
AloneTime alone_time(const Schedule& schedule, const Granularity& granularity, const StepCost& cost,
                     std::uint32_t channel, const HopRates& rates);

/// Latency of a slice from the end of its copy to its arrival that makes a chain of hops take what
/// `alone_time` says: what StepsRun uses.
double slice_latency(const Granularity& granularity, const StepCost& cost, bool network,
                     double rate);

/// Slices that fit the FIFO of a connection inside a node; over a network there are two FIFOs.
std::int64_t fifo_slices(Pattern pattern, const Granularity& granularity, const StepCost& cost);

/// Work of a channel in bytes per connection, the receive-only operations of a ring included.
double channel_work(const Schedule& schedule, const Granularity& granularity, const StepCost& cost);

/// Share of the hops of a channel that can move at the same time: 1 for a ring; a stream with fewer
/// messages than hops on its deepest path never fills.
double occupancy(const Schedule& schedule, const Granularity& granularity, std::uint32_t channel);

}  // namespace dsim
