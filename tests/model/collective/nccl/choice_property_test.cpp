#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/model/collective/nccl/nccl_machines.h"

using namespace dsim;
using namespace dsim::test;

namespace {

// Any machine of any release: graphs, hosts and settings drawn within what NCCL's search can give.
NcclWorld drawn(std::mt19937& random) {
  const auto whole = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const auto real = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto gpu = static_cast<Architecture>(whole(0, static_cast<int>(Architecture::cdna3)));
  constexpr const char* cpus[] = {"intel", "amd", "arm", "ibm", "mixed", ""};
  const auto graph = [&] { return nccl_graph(whole(1, 32), real(.12, 96), real(.12, 96)); };
  NcclWorld w = nccl_world(gpu, cpus[whole(0, 5)], static_cast<std::uint32_t>(whole(1, 40)),
                           static_cast<std::uint32_t>(whole(1, 16)),
                           {2, whole(7, 30), whole(0, 12)}, graph(), graph(), {}, whole(1, 64));
  if (whole(0, 1) == 1) {
    w.graphs.nvls = graph();
    w.graphs.nvls_tree = w.machine.nodes > 1;
  }
  if (whole(0, 2) == 0) {
    w.graphs.collnet_chain = w.graphs.collnet_direct = graph();
    w.settings.collnet_enable = true;
  }
  w.graphs.ring.nvlink = w.graphs.tree.nvlink = whole(0, 1) == 1;
  w.graphs.ring.ll128 = w.graphs.tree.ll128 = whole(0, 1) == 1;
  w.graphs.ring.same_channels = whole(0, 1) == 1;
  w.machine.nic_latency_us = whole(0, 3) == 0 ? real(0, 80) : 0;
  return w;
}

}  // namespace

TEST_CASE(
    "on any machine the choice is finite and possible, and faster graphs are never estimated "
    "slower",
    "[nccl][property]") {
  constexpr std::uint32_t seed = 20260611;
  std::mt19937 random(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    CAPTURE(seed, trial);
    const NcclWorld w = drawn(random);
    NcclWorld faster = w;
    for (NcclGraph* g : {&faster.graphs.ring, &faster.graphs.tree, &faster.graphs.nvls,
                         &faster.graphs.collnet_chain, &faster.graphs.collnet_direct}) {
      g->bw_intra *= 1.5;
      g->bw_inter *= 1.5;
    }
    const auto op = static_cast<CollectiveOp>(random() % 5);
    const Bytes size{
        static_cast<std::int64_t>(std::exp2(std::uniform_real_distribution<>(0, 40)(random)))};
    const NcclChoice choice = w.choose(size, op), other = faster.choose(size, op);
    REQUIRE(choice.estimates.size() == other.estimates.size());
    if (w.machine.ranks < 2) continue;
    REQUIRE(std::isfinite(choice.microseconds));
    REQUIRE(choice.microseconds > 0);
    bool possible = false;
    for (std::size_t i = 0; i < choice.estimates.size(); ++i) {
      const NcclEstimate& e = choice.estimates[i];
      if (!e.possible) continue;
      REQUIRE(e.microseconds >= e.latency_us);
      REQUIRE(e.microseconds >= choice.microseconds);
      possible = possible || (e.algorithm == choice.algorithm && e.protocol == choice.protocol);
      REQUIRE(other.estimates[i].possible);
      REQUIRE(other.estimates[i].microseconds <= e.microseconds);
    }
    REQUIRE(possible);
  }
}
