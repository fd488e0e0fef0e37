#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "model/collective/communicator.h"
#include "model/collective/schedule.h"
#include "sim/network/topology.h"

namespace dsim {

/// What messages of a round cost beyond the links' own rates.
struct RoundCost {
  static constexpr double free = std::numeric_limits<double>::infinity();
  double latency_local = 0, latency_network = 0;  ///< s a message, without the links' own latency
  double rate_local = free, rate_network = free;  ///< B/s a message at most
  double reduce_rate = free;                      ///< B/s at which a rank adds what it received
  double self_copy_rate = free;                   ///< B/s at which a rank copies its own part
  /// Bytes on a link per byte of the message, by kind of link.
  std::array<double, link_kind_count> wire = ones();

  static constexpr std::array<double, link_kind_count> ones() {
    std::array<double, link_kind_count> result{};
    result.fill(1.0);
    return result;
  }
  double latency(bool network) const { return network ? latency_network : latency_local; }
  double wire_of(LinkKind kind) const { return wire[static_cast<std::size_t>(kind)]; }
  double rate(bool network) const { return network ? rate_network : rate_local; }
};

/// A share of a message's bytes on a resource that is a link of this kind.
struct PathLoad {
  std::uint32_t resource = 0;
  double share = 1;
  LinkKind kind = LinkKind::pcie;
};

/// Where a message goes.
struct MessagePath {
  std::vector<PathLoad> loads;
  double link_latency = 0;  ///< s
  bool network = false;     ///< leaves its node
};

/// Replaces `out` by the path from one rank to another.
using PathOf = std::function<void(std::uint32_t from, std::uint32_t to, MessagePath& out)>;

/// Paths along the topology's routes; `resource_of` numbers the links (none: by their ids).
PathOf paths_along_routes(const Communicator& communicator,
                          std::function<std::uint32_t(LinkId)> resource_of = {});

/// A message of a round, its transfers put together.
struct Message {
  std::uint32_t from = 0, to = 0;
  double share = 0;  ///< of the size
  bool reduce = false;
};

/// The messages of a round, which are those of its whole phase; local copies are left out and their
/// shares put into `copies` (by rank, empty where there are none).
void messages_of_round(const RoundProgram& program, std::uint32_t ranks, std::uint32_t round,
                       std::vector<Message>& messages, std::vector<double>& copies);

}  // namespace dsim
