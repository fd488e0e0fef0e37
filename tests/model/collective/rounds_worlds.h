#pragma once
// Communicators and programs for tests of round-based algorithms.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/collective/algorithm.h"
#include "model/collective/rounds_check.h"
#include "tests/model/collective/worlds.h"

namespace dsim::test {

/// `width` GPUs on each of `height` nodes of 64 nodes of 8 GPUs.
inline Communicator grid_of(std::uint32_t height, std::uint32_t width) {
  static const auto topology = shipped("dgx8x64.json");
  std::vector<GpuId> gpus;
  for (std::uint32_t node = 0; node < height; ++node)
    for (std::uint32_t local = 0; local < width; ++local) gpus.emplace_back(node * 8 + local);
  return make_communicator(*topology, topology->default_routing(), Architecture::hopper, gpus);
}

/// The first n GPUs, node by node.
inline Communicator first_ranks(std::uint32_t n) {
  static const auto topology = shipped("dgx8x64.json");
  return everybody(*topology, n);
}

/// Algorithms that are planned in rounds, without "custom".
inline std::vector<const Algorithm*> round_algorithms() {
  std::vector<const Algorithm*> result;
  const Communicator two = first_ranks(2);
  for (const Algorithm* algorithm : algorithms())
    if (const std::string_view name = algorithm->name;
        name != "custom" && name != "ring" && name != "tree" && name != "nvls" &&
        name != "nvls_tree" && name != "collnet_direct" && name != "collnet_chain")
      result.push_back(algorithm);
  return result;
}

inline Schedule rounds_of(std::string_view algorithm, const Communicator& c, CollectiveOp op,
                          std::int64_t bytes = 1 << 20, std::uint32_t root = 0) {
  return algorithm_by_name(algorithm).plan(
      {.communicator = &c, .op = op, .size = Bytes{bytes}, .root = root});
}

/// Of the size: what the rank that sends most sends to others, and what all send together.
struct WireShares {
  double most = 0, all = 0;
};
inline WireShares wire_shares(const RoundProgram& program, std::uint32_t ranks) {
  std::vector<double> sent(ranks, 0);
  std::vector<Transfer> transfers;
  for (std::uint32_t round = 0; round < program.rounds; ++round) {
    program.transfers(round, transfers);
    for (const Transfer& t : transfers)
      if (t.from != t.to) sent[t.from] += share_of(program, t);
  }
  WireShares result;
  for (const double share : sent) {
    result.most = std::max(result.most, share);
    result.all += share;
  }
  return result;
}

}  // namespace dsim::test
