// Collectives beside each other, and machines with something slow, missing or switched off, through
// the door that dsim collective uses. Times follow from the flows; nothing here is a rule of the
// model.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/collective/predictor.h"
#include "tests/model/collective/worlds.h"

using namespace dsim;
using namespace dsim::test;

namespace {

using Faults = std::string;

std::shared_ptr<const Topology> cluster(
    const std::string& node, int nodes, const Faults& faults = "",
    const std::string& fabric = R"({"kind": "single_switch"})") {
  return parse_topology(
      fmt::format(R"({{"format": "dsim.topology/1", "node": "{}", "nodes": {}{}{}}})", node, nodes,
                  nodes > 1 ? R"(, "fabric": )" + fabric : "",
                  faults.empty() ? "" : R"(, "faults": [)" + faults + "]"),
      "machine.json");
}

struct Ask {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::int64_t bytes = std::int64_t{8} << 30;
  std::string algorithm = "";
  std::vector<std::string> nccl = {};
  std::vector<GpuId> ranks = {};
  std::optional<std::uint32_t> channels = {};
};

CollectiveSetup setup_for(const std::shared_ptr<const Topology>& topology, const Ask& ask) {
  CollectiveSetup setup;
  setup.topology = topology;
  setup.algorithm = ask.algorithm;
  setup.nccl = parse_nccl_settings(ask.nccl, setup.nccl.version);
  setup.ranks = ask.ranks;
  setup.channels = ask.channels;
  return setup;
}

CollectiveQuery query_for(const Ask& ask) {
  CollectiveQuery query;
  query.op = ask.op;
  query.size = Bytes{ask.bytes};
  return query;
}

double seconds_of(const std::shared_ptr<const Topology>& topology, const Ask& ask = {}) {
  return CollectivePredictor(setup_for(topology, ask)).predict(query_for(ask)).seconds;
}

std::vector<GpuId> gpus(std::size_t first, std::size_t count, std::size_t stride = 1) {
  std::vector<GpuId> result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(first + i * stride);
  return result;
}

std::vector<double> together(const std::shared_ptr<const Topology>& topology,
                             const std::vector<Ask>& asks) {
  std::vector<ConcurrentCollective> calls;
  for (const Ask& ask : asks) calls.push_back({setup_for(topology, ask), query_for(ask), Time{}});
  return run_concurrently(calls, Fidelity::fluid);
}

}  // namespace

TEST_CASE("two rings over the same NICs each get half, and what is left when the shorter ends") {
  // Max-min: while both run each has B/2. The short one moves S/4 and takes twice its time alone;
  // the long one is then alone for the rest: t(S) + t(S/4).
  const auto topology = cluster("dgx-h100", 2);
  const Ask whole{.bytes = std::int64_t{4} << 30, .algorithm = "ring"};
  const Ask quarter{.bytes = std::int64_t{1} << 30, .algorithm = "ring"};
  const double t1 = seconds_of(topology, whole), t4 = seconds_of(topology, quarter);
  const auto both = together(topology, {whole, quarter});
  // Up to 10 % less: what CTAs spend on overheads does not wait for the links.
  CHECK(both[1] <= 2 * t4);
  CHECK(both[1] >= 1.8 * t4);
  CHECK(both[0] == Approx(t1 + t4).epsilon(.05));
  const auto same = together(topology, {whole, whole});
  CHECK(same[0] == Approx(2 * t1).epsilon(.03));
  CHECK(same[1] == Approx(same[0]));
}

TEST_CASE("jobs that share no link do not disturb each other") {
  const auto topology = shipped("dgx8x64.json");
  const Ask a{.bytes = 1 << 30, .ranks = gpus(0, 16)}, b{.bytes = 1 << 30, .ranks = gpus(64, 16)};
  const auto both = together(topology, {a, b});
  CHECK(both[0] == Approx(seconds_of(topology, a)).epsilon(1e-6));
  CHECK(both[1] == Approx(seconds_of(topology, b)).epsilon(1e-6));
}

TEST_CASE("a collective that leaves the links before another comes does not disturb it") {
  const auto topology = cluster("dgx-h100", 2);
  const Ask ask{.bytes = 256 << 20};
  const double alone = seconds_of(topology, ask);
  const auto both = run_concurrently(
      {{setup_for(topology, ask), query_for(ask), Time{}},
       {setup_for(topology, ask), query_for(ask), Time::from_seconds(alone * 1.01)}},
      Fidelity::fluid);
  CHECK(both[0] == Approx(alone).epsilon(1e-6));
  CHECK(both[1] == Approx(alone).epsilon(1e-6));
}

TEST_CASE("an oversubscribed spine takes its factor, inside a leaf nothing") {
  const auto fabric = [](const char* ratio) {
    return fmt::format(R"({{"kind": "fat_tree", "nodes_per_leaf": 4, "oversubscription": "{}"}})",
                       ratio);
  };
  const auto wide = cluster("dgx-a100-80", 8, "", fabric("1:1"));
  const auto narrow = cluster("dgx-a100-80", 8, "", fabric("4:1"));
  Ask across{.op = CollectiveOp::all_to_all, .bytes = std::int64_t{4} << 30};
  // 4 of 8 nodes are under the other leaf: 4/8 of a GPU's bytes, over a quarter of the
  // cables.
  CHECK(seconds_of(narrow, across) / seconds_of(wide, across) > 1.7);
  CHECK(seconds_of(narrow, across) / seconds_of(wide, across) < 2.6);
  Ask inside{.bytes = std::int64_t{4} << 30, .ranks = gpus(0, 32)};
  CHECK(seconds_of(narrow, inside) == Approx(seconds_of(wide, inside)));
}

TEST_CASE("one slow NVLink slows a ring of the node to its pace") {
  const auto healthy = cluster("dgx-h100", 1);
  const auto slow = cluster(
      "dgx-h100", 1, R"({"link": ["node0.gpu5", "node0.nvswitch0"], "bandwidth_factor": 0.25})");
  const Ask ring{.algorithm = "ring"};
  const double ratio = seconds_of(slow, ring) / seconds_of(healthy, ring);
  CHECK(ratio > 3);  // 4 where the link is all that counts; CTAs were the limit before
  CHECK(ratio < 4.2);
}

TEST_CASE("a lost NVLink of a mesh costs rings") {
  const auto healthy = cluster("dgx1-v100", 1);
  const auto hurt =
      cluster("dgx1-v100", 1, R"({"link": ["node0.gpu0", "node0.gpu1"], "down": true})");
  const double ratio =
      seconds_of(hurt, {.algorithm = "ring"}) / seconds_of(healthy, {.algorithm = "ring"});
  CHECK(ratio > 1.1);
  CHECK(ratio < 7);
}

TEST_CASE("faults of two H100 nodes cost what the flows say") {
  // Ratios of time to the healthy machine.
  const auto healthy = cluster("dgx-h100", 2);
  std::string lost;
  for (const int node : {0, 1})
    for (const int nic : {1, 3, 5, 7})
      lost += fmt::format(R"({}{{"nic": "node{}.nic{}", "down": true}})", lost.empty() ? "" : ", ",
                          node, nic);
  const auto half = cluster("dgx-h100", 2, lost);
  const Ask ring{.algorithm = "ring"};
  const Ask gather{.op = CollectiveOp::all_gather};
  const auto ratio = [&](const std::shared_ptr<const Topology>& t, Ask ask,
                         std::vector<std::string> nccl = {}) {
    const double base = seconds_of(healthy, ask);
    ask.nccl = std::move(nccl);
    return seconds_of(t, ask) / base;
  };
  SECTION("half the rails: twice the time where NICs are the limit") {
    CHECK(ratio(half, ring) == Approx(2.0).epsilon(.15));
    CHECK(ratio(half, gather) > 1.5);  // CTAs keep the healthy one below its NICs
    CHECK(ratio(half, gather) < 2.1);
    CHECK(ratio(half, {.bytes = 1024}) == Approx(1.0).epsilon(.1));
    CHECK(ratio(healthy, ring, {"NCCL_IB_HCA=mlx5_0,mlx5_1,mlx5_2,mlx5_3"}) ==
          Approx(2.0).epsilon(.15));
  }
  SECTION("sockets: tens of times slower, small calls twice") {
    const std::vector<std::string> sockets = {"NCCL_IB_DISABLE=1"};
    CHECK(ratio(healthy, ring, sockets) > 10);
    CHECK(ratio(healthy, gather, sockets) > 10);
    CHECK(ratio(healthy, {.bytes = 1024}, sockets) > 1.3);
    CHECK(ratio(healthy, {.bytes = 1024}, sockets) < 5);
  }
  SECTION("no GPUDirect: every NIC's bytes cross the host") {
    CHECK(ratio(healthy, ring, {"NCCL_NET_GDR_LEVEL=LOC"}) > 1.5);
    CHECK(ratio(healthy, ring, {"NCCL_NET_GDR_LEVEL=LOC"}) < 10);
  }
  SECTION("NVLS off: large all-reduces lose, rings and all-gathers do not") {
    CHECK(ratio(healthy, {}, {"NCCL_NVLS_ENABLE=0"}) > 1.05);
    CHECK(ratio(healthy, {}, {"NCCL_NVLS_ENABLE=0"}) < 1.6);
    CHECK(ratio(healthy, ring, {"NCCL_NVLS_ENABLE=0"}) == Approx(1.0).epsilon(.03));
    CHECK(ratio(healthy, gather, {"NCCL_NVLS_ENABLE=0"}) == Approx(1.0).epsilon(.03));
  }
  SECTION("four channels: a CTA's rate is the limit") {
    const double four = ratio(healthy, ring, {"NCCL_MAX_NCHANNELS=4"});
    CHECK(four > 3);
    CHECK(four < 5);
  }
}

TEST_CASE("without P2P bytes go through the host") {
  const auto topology = cluster("dgx-h100", 1);
  const double ratio = seconds_of(topology, {.algorithm = "ring", .nccl = {"NCCL_P2P_DISABLE=1"}}) /
                       seconds_of(topology, {.algorithm = "ring"});
  CHECK(ratio > 5);
  CHECK(ratio < 100);
}

TEST_CASE("the bonus of two-node trees is in the flows, less at three nodes and gone at four") {
  // Bytes over the busiest NIC per byte of its share: a tree on 2 nodes 1, on 3 1.5 (nobody has two
  // children), on more 2; a ring 2 (n - 1) / n. NICs are narrow enough to be the limit.
  const auto topology =
      parse_topology(R"({"format": "dsim.topology/1", "node": "dgx-h100", "nodes": 4,
 "nics": {"bandwidth": "50 Gb/s"}, "fabric": {"kind": "single_switch"}})",
                     "narrow.json");
  const auto ratio = [&](std::size_t nodes) {
    const std::vector<GpuId> ranks = gpus(0, nodes * 8);
    return seconds_of(topology, {.algorithm = "tree", .ranks = ranks}) /
           seconds_of(topology, {.algorithm = "ring", .ranks = ranks});
  };
  CHECK(ratio(2) == Approx(16. / 30).epsilon(.1));
  CHECK(ratio(3) == Approx(36. / 46).epsilon(.1));
  CHECK(ratio(4) == Approx(64. / 62).epsilon(.1));
}

TEST_CASE("a NIC at the other socket is reached over the socket link, and that is the limit") {
  // The same four GPUs and one NIC; in the second node the NIC hangs at the CPU without GPUs.
  const auto node = [](const char* cpu) {
    return parse_topology(fmt::format(R"({{"format": "dsim.topology/1", "nodes": 2,
 "fabric": {{"kind": "single_switch"}}, "node": {{"format": "dsim.node/1", "title": "box",
 "gpu": "a100-sxm-80", "cpu": "intel",
 "vertices": {{"gpu": 4, "nvswitch": 1, "cpu": 2, "nic": 1}},
 "nic": {{"kind": "ib", "bandwidth": "200 Gb/s"}},
 "links": [{{"kind": "nvlink", "bandwidth": "25 GB/s", "links": 12, "between": [["gpu0", "nvswitch0"],
   ["gpu1", "nvswitch0"], ["gpu2", "nvswitch0"], ["gpu3", "nvswitch0"]]}},
  {{"kind": "pcie", "bandwidth": "31.5 GB/s", "between": [["gpu0", "cpu0"], ["gpu1", "cpu0"],
   ["gpu2", "cpu0"], ["gpu3", "cpu0"], ["nic0", "{}"]]}},
  {{"kind": "socket", "bandwidth": "10 GB/s", "between": [["cpu0", "cpu1"]]}}]}}}})",
                                      cpu),
                          "box.json");
  };
  const Ask ring{.algorithm = "ring"};
  const double ratio = seconds_of(node("cpu1"), ring) / seconds_of(node("cpu0"), ring);
  CHECK(ratio > 1.3);
  CHECK(ratio < 4);
}
