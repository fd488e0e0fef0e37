#pragma once
#include "model/collective/constants.h"
#include "model/collective/rounds_cost.h"

namespace dsim {

/// What a round's messages need to know of the call besides the schedule.
struct RoundCall {
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes size;
  Protocol protocol = Protocol::simple;
  std::uint32_t ranks = 1, nodes = 1;
  std::uint32_t channels = 1;          ///< of a ring or tree on the same machine
  std::uint32_t p2p_channels = 0;      ///< send-receive channels of all peers; 0 = as `channels`
  std::uint32_t p2p_per_peer = 1;      ///< of one peer on another node
  std::uint32_t network_messages = 0;  ///< of one rank in one round, the most
  double largest_message = 0;          ///< bytes
};

/// Channels that NCCL gives a message to one peer of one node: the power of two above the channels,
/// shared by all ranks, doubled while a channel carries more than 16 MiB, with at least 64 KiB each
/// (NVIDIA/nccl src/enqueue.cc).
std::uint32_t copy_channels(const RoundCall& call);

/// Costs of the schedule's kind of messages: send-receive kernels, PAT, ring kernels in rounds, CPU
/// back ends. docs/collectives.md has the formulas.
RoundCost round_cost(Mechanics mechanics, const RoundCall& call, const CollectiveConstants& k);

/// Paths of messages between CPUs: links of the network alone; inside a host through its memory.
PathOf host_paths(PathOf paths);

}  // namespace dsim
