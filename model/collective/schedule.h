#pragma once
// A collective as rounds and rules: who is connected to whom on every channel and in what order a
// worker receives and sends. Messages are generated as the schedule runs, never stored: a ring over
// 1,024 ranks is two million of them.
#include <cstdint>
#include <vector>

#include "model/workload/program.h"
#include "sim/network/topology.h"

namespace dsim {

/// How the messages of a channel follow each other.
///   ring:   a loop has `rounds` messages on every connection. A worker sends message 0 of a loop
///           unasked, sends message j after it received message j - 1, and finally only receives.
///   stream: message j leaves a worker when message j has arrived on all its incoming connections.
enum class Pattern : std::uint8_t { ring, stream };

/// A directed connection between two workers of a channel.
struct Connection {
  std::uint32_t from_worker, to_worker;
  std::uint32_t first_link, link_count;  ///< range of Schedule::links
  double latency = 0;                    ///< s, of the links alone
  bool network = false;                  ///< leaves the node
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

struct Schedule {
  Pattern pattern = Pattern::ring;
  bool tree = false;  ///< uses the tree constants
  std::uint32_t ranks = 0;
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
};

/// How the bytes of one call are cut. All messages of a call have the same size.
struct Granularity {
  std::uint32_t channels = 1;  ///< channels used, <= Schedule::channels
  std::int64_t messages = 0;   ///< on every connection
  std::int64_t loops = 1;      ///< ring only
  double message_bytes = 0;
  int slices = 1;  ///< a message moves in this many slices
  double channel_bytes() const { return static_cast<double>(messages) * message_bytes; }
};

/// NCCL's Simple protocol: at least 32 KiB a channel and block; ring chunks up to 2 MiB in two
/// slices, stream chunks up to 512 KiB in one (NVIDIA/nccl enqueue.cc, collectives.h).
Granularity granularity(const Schedule& schedule, Bytes size);

}  // namespace dsim
