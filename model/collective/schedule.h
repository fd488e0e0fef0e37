#pragma once
// A collective as rounds and rules: who is connected to whom on every channel and in what order a
// worker receives and sends. Messages are generated as the schedule runs, never stored: a ring over
// 1,024 ranks is two million of them.
#include <cstdint>
#include <functional>
#include <vector>

#include "model/workload/program.h"
#include "sim/network/topology.h"

namespace dsim {

/// How the messages of a channel follow each other.
///   ring:   a loop has `rounds` messages on every connection. A worker sends message 0 of a loop
///           unasked, sends message j after it received message j - 1, and finally only receives.
///   stream: message j leaves a worker when message j has arrived on all its incoming connections.
///   rounds: in round r a rank sends and receives what RoundProgram says; it begins round r + 1
///   when
///           all its transfers of round r have ended.
enum class Pattern : std::uint8_t { ring, stream, rounds };

/// Which constants a step costs: what kind of kernel (or host loop) moves the bytes.
enum class Mechanics : std::uint8_t {
  ring,       ///< ring kernels: all_reduce, all_gather, reduce_scatter
  chain,      ///< broadcast and reduce along the ring
  tree,       ///< double binary tree
  nvls,       ///< multicast and reduction in the NVSwitch
  nvls_tree,  ///< the same inside nodes, trees between them
  collnet,    ///< reduction in the network's switches
  pat,        ///< log-step all_gather and reduce_scatter between single GPUs
  copy,       ///< send and receive, all-to-all, gather, scatter
  blocks,     ///< algorithms in rounds with ring kernels' costs (halving-doubling, torus, custom)
  host        ///< CPU back ends
};

/// A directed connection between two workers of a channel.
struct Connection {
  std::uint32_t from_worker, to_worker;
  std::uint32_t first_link, link_count;  ///< range of Schedule::links
  double latency = 0;                    ///< s, of the links alone
  bool network = false;                  ///< leaves the node
  double limit = 0;                      ///< B/s of one connection at most (sockets); 0 = none
};

/// What one CTA does for one rank: receive from all `in`, then send to all `out`.
struct Worker {
  std::uint32_t rank;  ///< index into the communicator
  std::uint32_t channel;
  std::uint32_t first_in, in_count;    ///< range of Schedule::in
  std::uint32_t first_out, out_count;  ///< range of Schedule::out
};

/// Hops of a path from a worker without input to one without output.
struct PathShape {
  std::uint32_t local = 0, network = 0;  ///< hops inside nodes and between them
  double link_seconds = 0;               ///< latency of their links
};

/// One message of a round: blocks [first_block, first_block + block_count) modulo `blocks`, as they
/// are when the round begins. The receiver adds them to its own (reduce) or keeps them.
/// Blocks of an all_to_all: either n, where block d of a rank is on its way to the rank d places
/// after its source, or n^2, where block i * n + j goes from rank i to rank j.
struct Transfer {
  std::uint32_t from = 0, to = 0;  ///< ranks
  std::uint32_t first_block = 0, block_count = 0;
  bool reduce = false;
};

/// Consecutive rounds with the same partners and bytes.
struct RoundPhase {
  std::uint32_t first_round = 0, rounds = 0;
};

/// Rounds of transfers, generated when asked for.
struct RoundProgram {
  std::uint32_t rounds = 0;
  std::uint32_t blocks = 0;            ///< the size is cut into this many blocks
  std::vector<double> block_shares;    ///< of the size, one per block; empty = equal shares
  std::vector<std::uint32_t> owners;   ///< rank that begins (all_gather) or ends (reduce_scatter)
                                       ///< with a block; empty = block b: rank b * ranks / blocks
  std::vector<RoundPhase> phases;      ///< cover all rounds in order
  bool adds_while_next_round = false;  ///< what a round receives is added while the next one moves
  /// Replaces `out` by the transfers of a round. Neighbours with the same (from, to) are one
  /// message; from == to copies locally.
  std::function<void(std::uint32_t round, std::vector<Transfer>& out)> transfers;
  std::int64_t largest_message = 0;  ///< bytes; longer transfers are cut and pipelined; 0 = never
};

struct Schedule {
  Pattern pattern = Pattern::ring;
  Mechanics mechanics = Mechanics::ring;
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 1;
  std::uint32_t channels = 0;
  std::int64_t rounds = 0;  ///< ring: messages a loop and connection (2(n-1) or n-1)
  std::int64_t blocks = 1;  ///< a channel's bytes are cut into this many blocks (ring: n)
  std::vector<Connection> connections;                        ///< grouped by channel
  std::vector<Worker> workers;                                ///< grouped by channel
  std::vector<std::uint32_t> first_connection, first_worker;  ///< channels + 1 entries
  std::vector<std::uint32_t> in, out;                         ///< connection indices
  std::vector<LinkShare> links;
  /// stream: by channel, the paths that can be the longest (none of them is shorter than another in
  /// every respect).
  std::vector<std::vector<PathShape>> longest_paths;
  /// rounds: `channels` channels work on each transfer together; connections and workers are
  /// unused.
  RoundProgram program;
};

}  // namespace dsim
