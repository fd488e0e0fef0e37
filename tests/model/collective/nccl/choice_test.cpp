#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "sim/base/error.h"
#include "tests/model/collective/nccl/nccl_machines.h"

using namespace dsim;
using namespace dsim::test;

namespace {

constexpr auto all_reduce = CollectiveOp::all_reduce;
constexpr auto all_gather = CollectiveOp::all_gather;

// `what` is chosen at `size` and not at half of it.
void check_first(const NcclWorld& w, const std::string& what, Bytes size,
                 CollectiveOp op = all_reduce) {
  CAPTURE(what, size.count, to_string(w.settings.version));
  CHECK(chosen(w.choose(size, op)) == what);
  CHECK(chosen(w.choose(Bytes{size.count / 2}, op)) != what);
}

}  // namespace

TEST_CASE("NCCL's estimates of well-known machines are the reference's, to the digit printed",
          "[nccl]") {
  // An independent implementation of NVIDIA/nccl v2.30.7 src/graph/tuning.cc: choice and us at
  // 16 KiB, 1 MiB, 16 MiB, 256 MiB, and the busbw that the estimate tends to, GB/s.
  struct Row {
    const char* name;
    NcclWorld world;
    std::array<const char*, 4> choice;
    std::array<double, 4> us;
    std::array<double, 4> digit;  // half of the last digit printed
    double busbw, busbw_digit;
  };
  const auto row = GENERATE(values<Row>({
      {"A100 x8",
       a100(1),
       {"ring LL", "ring LL", "ring LL128", "ring Simple"},
       {15.3, 35.9, 173.6, 2013},
       {.05, .05, .05, .5},
       240,
       .5},
      {"A100 2x8",
       a100(2),
       {"tree LL", "tree LL128", "ring LL128", "ring Simple"},
       {27.3, 70.3, 274.6, 2908},
       {.05, .05, .05, .5},
       192,
       .5},
      {"A100 16x8",
       a100(16),
       {"tree LL", "tree LL128", "tree LL128", "ring LL128"},
       {57.7, 125.7, 378.8, 3911},
       {.05, .05, .05, .5},
       192,
       .5},
      {"H100 x8",
       h100(1),
       {"ring LL", "ring LL", "nvls Simple", "nvls Simple"},
       {15.2, 28.0, 86.7, 1012},
       {.05, .05, .05, .5},
       476,
       .5},
      {"H100 2x8",
       h100(2),
       {"tree LL", "tree LL128", "nvls_tree Simple", "nvls_tree Simple"},
       {26.4, 60.4, 134.9, 1157},
       {.05, .05, .05, .5},
       461.6,
       .05},
      {"H100 16x8",
       h100(16),
       {"tree LL", "tree LL128", "tree LL128", "nvls_tree Simple"},
       {57.5, 114.6, 260.2, 1656},
       {.05, .05, .05, .5},
       364,
       .5},
      {"V100 DGX-1",
       dgx1(),
       {"ring LL", "ring LL128", "ring Simple", "ring Simple"},
       {15.7, 57.2, 301, 3971},
       {.05, .05, .5, .5},
       120,
       .5},
  }));
  CAPTURE(row.name);
  constexpr std::array sizes = {16_KiB, 1_MiB, 16_MiB, 256_MiB};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CAPTURE(i);
    const NcclChoice choice = row.world.choose(sizes[i]);
    CHECK(chosen(choice) == row.choice[i]);
    CHECK(std::abs(choice.microseconds - row.us[i]) <= row.digit[i] * 1.001);
  }
  const double n = row.world.machine.ranks, huge = 1e15;
  const double us = row.world.choose(Bytes{static_cast<std::int64_t>(huge)}).microseconds;
  CHECK(std::abs(huge / us / 1e3 * 2 * (n - 1) / n - row.busbw) <= row.busbw_digit * 1.001);
}

TEST_CASE("H100 x8 takes LL up to 1 MiB and NVLS from 2 MiB, gathers stay on rings", "[nccl]") {
  // Measured switch points: logs of H200 x8, stas00/ml-engineering 744d01e1 network/README.md.
  for (const NcclVersion version : {NcclVersion{2, 23, 4}, NcclVersion{2, 27, 3}, newest}) {
    const NcclWorld w = h100(1, version);
    CHECK(chosen(w.choose(1_MiB)) == "ring LL");
    CHECK(always_from(w, "nvls Simple", all_reduce) == (2_MiB).count);
    for (std::int64_t size = 8; size <= (16_GiB).count; size *= 2) {
      CHECK(w.choose(Bytes{size}, all_gather).algorithm == "ring");
      CHECK(w.choose(Bytes{size}, CollectiveOp::reduce_scatter).algorithm == "ring");
    }
  }
}

TEST_CASE("NVLS-tree begins at 1, 2, 8 MiB on 2, 4, 8 nodes, from 2.28.9 on at 4, 16, 16",
          "[nccl]") {
  // Its network hop: 14 us from 2.19.3 to 2.28.7, 20.9 from 2.28.9.
  const auto [nodes, before, since] = GENERATE(table<std::uint32_t, Bytes, Bytes>(
      {{2, 1_MiB, 4_MiB}, {4, 2_MiB, 16_MiB}, {8, 8_MiB, 16_MiB}}));
  CAPTURE(nodes);
  CHECK(always_from(h100(nodes, {2, 28, 7}), "nvls_tree Simple", all_reduce) == before.count);
  CHECK(always_from(h100(nodes, {2, 28, 9}), "nvls_tree Simple", all_reduce) == since.count);
  check_first(h100(nodes, {2, 23, 4}), "nvls_tree Simple", before);
}

TEST_CASE("B200 x8 gathers: LL128 vanishes in 2.29.2 and is back in 2.29.7", "[nccl]") {
  // LL128 a channel 34.5 GB/s in 2.29.2, 40 from 2.29.7, 73.4 to 2.28.3: with 34.5 Simple starts
  // between 8 and 16 MiB.
  const NcclVersion narrow{2, 29, 2};
  CHECK(chosen(b200(1, narrow).choose(8_MiB, all_gather)) == "ring LL");
  CHECK(chosen(b200(1, narrow).choose(16_MiB, all_gather)) == "ring Simple");
  CHECK(chosen(b200(1, {2, 29, 7}).choose(16_MiB, all_gather)) == "ring LL128");
  check_first(b200(1, {2, 28, 3}), "ring Simple", 64_MiB, all_gather);
  // 2.29.7: the two tie within .3 us at 32 MiB.
  const NcclChoice tie = b200(1, {2, 29, 7}).choose(32_MiB, all_gather);
  double ll128 = 0, simple = 0;
  for (const NcclEstimate& e : tie.estimates) {
    if (e.algorithm != "ring") continue;
    if (e.protocol == Protocol::ll128) ll128 = e.microseconds;
    if (e.protocol == Protocol::simple) simple = e.microseconds;
  }
  CHECK(std::abs(ll128 - simple) < .3);
}

TEST_CASE("the host's vendor moves the end of LL: B200 2x8 gathers by LL128 from 256 KiB on AMD",
          "[nccl]") {
  // AMD: LL at 22.5 GB/s and 2 us a post; Intel: 39 and 1.
  check_first(b200(2, {2, 28, 9}, "amd"), "ring LL128", 256_KiB, all_gather);
  check_first(b200(2, {2, 28, 9}, "intel"), "ring LL128", 1_MiB, all_gather);
}

TEST_CASE("four NICs a node: trees from 64 MiB where the tree's graph is faster inside nodes",
          "[nccl]") {
  // p4d, p4de on 2 nodes, Simple only (EFA before LL128 was allowed): rings of 4 x 12 GB/s.
  const auto p4d = [](double tree) {
    NcclWorld w = nccl_world(Architecture::ampere, "intel", 2, 8, {2, 20, 3}, nccl_graph(4, 12, 12),
                             nccl_graph(4, tree, 12), {}, 8);
    w.settings.proto = "Simple";
    return w;
  };
  CHECK(always_from(p4d(20), "tree Simple", all_reduce) == (64_MiB).count);
  CHECK(always_from(p4d(12), "ring Simple", all_reduce) == 8);
}

TEST_CASE("an 8-bit all_reduce never takes NVLS, fp8 avoids deep rings", "[nccl]") {
  const auto type =
      GENERATE(DataType::int8, DataType::uint8, DataType::fp8_e4m3, DataType::fp8_e5m2);
  CAPTURE(name_of(type));
  for (std::int64_t size = 8; size <= (16_GiB).count; size *= 2) {
    const NcclChoice one = h100(1).choose(Bytes{size}, all_reduce, type);
    CHECK(one.algorithm == "ring");
    const NcclChoice two = h100(2).choose(Bytes{size}, all_reduce, type);
    CHECK(two.algorithm != "nvls_tree");
    if (type == DataType::fp8_e4m3) CHECK(two.algorithm == "tree");  // 16 ranks: rings come last
  }
  CHECK_THROWS_WITH(h100(1, {2, 20, 3}).choose(1_MiB, all_reduce, DataType::fp8_e4m3),
                    Catch::Contains("fp8 from 2.24 on"));
  // All gathers move bytes of any type.
  CHECK(chosen(h100(1).choose(1_GiB, all_gather, DataType::int8)) ==
        chosen(h100(1).choose(1_GiB, all_gather, DataType::half)));
}

TEST_CASE("algorithms exist from their release on", "[nccl]") {
  const auto has = [](const NcclWorld& w, std::string_view algorithm, CollectiveOp op) {
    for (const NcclEstimate& e : w.choose(1_GiB, op).estimates)
      if (e.algorithm == algorithm && e.possible) return true;
    return false;
  };
  CHECK_FALSE(has(h100(1, {2, 16, 2}), "nvls", all_reduce));
  CHECK(has(h100(1, {2, 17, 1}), "nvls", all_reduce));
  CHECK_FALSE(has(h100(2, {2, 17, 1}), "nvls_tree", all_reduce));
  CHECK(has(h100(2, {2, 18, 3}), "nvls_tree", all_reduce));
  CHECK_FALSE(has(h100(1), "nvls_tree", all_reduce));
  CHECK_FALSE(has(h100(2), "nvls", all_reduce));  // NVLS across nodes needs CollNet
  CHECK_FALSE(has(a100(1), "nvls", all_reduce));
  const auto one_each = [](NcclVersion version) {
    const auto g = nccl_graph(1, 12, 12);
    return nccl_world(Architecture::hopper, "intel", 8, 1, version, g, g, {}, 2);
  };
  CHECK_FALSE(has(one_each({2, 22, 3}), "pat", all_gather));
  CHECK(has(one_each({2, 23, 4}), "pat", all_gather));
  CHECK_FALSE(has(one_each(newest), "pat", all_reduce));
  CHECK_FALSE(has(h100(2), "pat", all_gather));
}

TEST_CASE("CollNet runs when it is asked for and there", "[nccl]") {
  NcclWorld w = h100(2);
  w.graphs.collnet_chain = w.graphs.collnet_direct = nccl_graph(8, 48, 48);
  const auto possible = [&](std::string_view algorithm) {
    for (const NcclEstimate& e : w.choose(1_GiB).estimates)
      if (e.algorithm == algorithm && e.possible) return true;
    return false;
  };
  CHECK_FALSE(possible("collnet_direct"));
  CHECK_FALSE(possible("nvls"));
  w.settings.collnet_enable = true;
  CHECK(possible("collnet_direct"));
  CHECK(possible("collnet_chain"));
  CHECK(possible("nvls"));
}

TEST_CASE("nothing is estimated of sends and receives; LL carries the small ones inside a node",
          "[nccl]") {
  const NcclChoice small = h100(1).choose(8_KiB, CollectiveOp::all_to_all);
  CHECK(small.estimates.empty());
  CHECK(small.protocol == Protocol::ll);
  CHECK(h100(1).choose(1_GiB, CollectiveOp::all_to_all).protocol == Protocol::simple);
  CHECK(h100(2).choose(8_KiB, CollectiveOp::all_to_all).protocol == Protocol::simple);
}

TEST_CASE("every version chooses something finite, and the least of what is possible", "[nccl]") {
  for (int minor = 7; minor <= 30; ++minor)
    for (const NcclWorld& w : {a100(1, {2, minor, 3}), a100(4, {2, minor, 3}),
                               h100(1, {2, minor, 3}), h100(2, {2, minor, 3}),
                               b200(1, {2, minor, 3}), b200(3, {2, minor, 3}), dgx1({2, minor, 3})})
      for (const CollectiveOp op :
           {all_reduce, all_gather, CollectiveOp::reduce_scatter, CollectiveOp::broadcast,
            CollectiveOp::reduce, CollectiveOp::barrier})
        for (const Bytes size : {Bytes{0}, Bytes{1}, 64_KiB, 1_GiB}) {
          CAPTURE(minor, static_cast<int>(op), size.count);
          const NcclChoice choice = w.choose(size, op);
          REQUIRE(choice.estimates.size() == 21);
          REQUIRE(std::isfinite(choice.microseconds));
          REQUIRE(choice.microseconds > 0);
          bool found = false;
          for (const NcclEstimate& e : choice.estimates) {
            REQUIRE(e.possible == e.reason.empty());
            if (!e.possible) continue;
            REQUIRE(e.microseconds >= choice.microseconds);
            found = found || (e.algorithm == choice.algorithm && e.protocol == choice.protocol &&
                              e.microseconds == choice.microseconds);
          }
          REQUIRE(found);
        }
}

TEST_CASE("one rank has nothing to choose", "[nccl]") {
  NcclWorld w = h100(1);
  w.machine.ranks = 1;
  CHECK(w.choose(1_MiB).microseconds == 0);
}

TEST_CASE("AMD's GPUs are chosen for by RCCL's table", "[nccl]") {
  // ROCm/rccl tuning model 5 by hand, 8 GPUs, ring of 7 x 48 GB/s. Simple: 17 + 14 x 2.1 us and
  // 336 x 8/14 GB/s; LL: 12 + 14 x .8 us and .08 of that.
  const auto ring = nccl_graph(7, 48, 48);
  const NcclWorld w = nccl_world(Architecture::cdna3, "amd", 1, 8, {2, 22, 3}, ring, ring, {}, 14);
  const NcclChoice large = w.choose(1_GiB);
  CHECK(chosen(large) == "ring Simple");
  CHECK(large.microseconds == Approx(17 + 14 * 2.1 + 1073741824 / (336e3 * 8 / 14)));
  const NcclChoice small = w.choose(1_KiB);
  CHECK(small.protocol == Protocol::ll);
  for (const NcclEstimate& e : large.estimates) {
    if (e.algorithm == "ring" && e.protocol == Protocol::ll)
      CHECK(e.microseconds == Approx(12 + 14 * .8 + 1073741824 / (.08 * 336e3 * 8 / 14)));
    if (e.algorithm == "tree" && e.protocol == Protocol::simple) CHECK_FALSE(e.possible);
    if (e.algorithm == "nvls") CHECK_FALSE(e.possible);
  }
}

namespace {

double estimate(const NcclWorld& w, std::string_view algorithm, Protocol protocol, Bytes size,
                CollectiveOp op = all_reduce) {
  for (const NcclEstimate& e : w.choose(size, op).estimates)
    if (e.algorithm == algorithm && e.protocol == protocol) return e.microseconds;
  return -1;
}

}  // namespace

TEST_CASE("estimates of older releases are what their formulas give by hand", "[nccl]") {
  const double mib = 1048576;
  // 2.7.8: A100 graphs at 235 GB/s, ring LL a quarter.
  CHECK(estimate(a100(1, {2, 7, 8}), "ring", Protocol::ll, 1_MiB) ==
        Approx(3.6 + 14 * .47 + mib / (235e3 / 4 * 8 / 14)));
  // 2.7.8: two nodes, LL hops inside x 1.8; tree at 110 GB/s in all, / 3.8, halved, x .5 at 128
  // KiB.
  CHECK(estimate(a100(2, {2, 7, 8}), "tree", Protocol::ll, 128_KiB) ==
        Approx(4.4 + 2 * (7 * .52 * 1.8 + 5) + mib / 8 / (110e3 / 3.8 / 2 * .5)));
  // 2.12.12: 2N network hops of 28 us, plateau x 1.9.
  CHECK(estimate(a100(2, {2, 12, 12}), "ring", Protocol::simple, 256_MiB) ==
        Approx((8.4 + 26 * 3.4 + 4 * 28) * 1.9 + 256 * mib / (192e3 * 16 / 30)));
  // 2.17.1: NVLS on the ring's graph.
  CHECK(estimate(h100(1, {2, 17, 1}), "nvls", Protocol::simple, 16_MiB) ==
        Approx(40 + 16 * mib / (360e3 * .75)));
  // 2.18.3: NVLS-tree pays 2(N-1) network hops.
  CHECK(estimate(h100(2, {2, 18, 3}), "nvls_tree", Protocol::simple, 256_MiB) ==
        Approx(23 + 2 * 19 + 256 * mib / (8 * 40e3 * .7 * 2 / 2)));
  // 2.20.3: the slower side, five sixths; half the network above two nodes.
  CHECK(estimate(h100(1, {2, 20, 3}), "nvls", Protocol::simple, 16_MiB) ==
        Approx(23 + 16 * mib / (8 * 40e3 * 5 / 6)));
  CHECK(estimate(h100(4, {2, 20, 3}), "nvls_tree", Protocol::simple, 16_MiB) ==
        Approx(23 + 2 * 2 * 14 + 16 * mib / (8 * 24e3 * 5 / 6)));
  // 2.27.3: gathers by NVLS at min(7/8 intra, .9 inter).
  CHECK(estimate(h100(1, {2, 27, 3}), "nvls", Protocol::simple, 16_MiB, all_gather) ==
        Approx(25 + 16 * mib / (8 * 35e3)));
  // One GPU a node: PAT 8 + 3 x 14/3.5 + 8 x 2.8 us, .85 of the tree's graph in 2.23, .75
  // from 2.24.
  for (const auto& [version, share] : {std::pair{NcclVersion{2, 23, 4}, .85}, {newest, .75}}) {
    const auto g = nccl_graph(1, 12, 12);
    const NcclWorld w = nccl_world(Architecture::hopper, "intel", 8, 1, version, g, g, {}, 2);
    CHECK(estimate(w, "pat", Protocol::simple, 1_MiB, all_gather) ==
          Approx(8 + 3 * 14 / 3.5 + 8 * 2.8 + mib / (12e3 * share)));
  }
}

TEST_CASE("a plugin's latency counts once a network hop, twice with Simple", "[nccl]") {
  NcclWorld w = h100(2);
  const double ll = estimate(w, "ring", Protocol::ll, 1_KiB);
  const double simple = estimate(w, "tree", Protocol::simple, 1_KiB);
  w.machine.nic_latency_us = 10;
  CHECK(estimate(w, "ring", Protocol::ll, 1_KiB) == Approx(ll + 2 * 10));
  CHECK(estimate(w, "tree", Protocol::simple, 1_KiB) == Approx(simple + 2 * 2 * 10));
}

TEST_CASE("broadcast pays a hop a rank where channels differ", "[nccl]") {
  NcclWorld w = h100(1);
  const double same = estimate(w, "ring", Protocol::ll, 1_KiB, CollectiveOp::broadcast);
  w.graphs.ring.same_channels = false;
  CHECK(estimate(w, "ring", Protocol::ll, 1_KiB, CollectiveOp::broadcast) == Approx(same + 7 * .6));
}

TEST_CASE("four Hopper GPUs never take NVLS", "[nccl]") {
  // Half and int8 tables agree on 4 GPUs, so nothing is reduced in the switch. Each of 4 heads uses
  // twice the bandwidth of the 3 others: 60 GB/s a channel.
  for (const NcclVersion version : {NcclVersion{2, 23, 4}, NcclVersion{2, 29, 2}}) {
    const auto g = nccl_graph(12, 30, 30);
    const NcclWorld w =
        nccl_world(Architecture::hopper, "intel", 1, 4, version, g, g, nccl_graph(4, 60, 60), 24);
    for (std::int64_t size = 8; size <= (16_GiB).count; size *= 2)
      CHECK(w.choose(Bytes{size}).algorithm == "ring");
  }
}

TEST_CASE("grouped operations pay a ring's latency once a wave, others' once in eight", "[nccl]") {
  const NcclWorld w = h100(1);  // 24 channels
  const auto of = [&](int operations, std::string_view algorithm, Protocol protocol) {
    const NcclChoice choice =
        choose_nccl(w.graphs, w.machine, w.settings, all_reduce, 1_MiB, DataType::half, operations);
    for (const NcclEstimate& e : choice.estimates)
      if (e.algorithm == algorithm && e.protocol == protocol) return e.microseconds;
    return -1.0;
  };
  const double ring = of(1, "ring", Protocol::simple), tree = of(1, "tree", Protocol::simple);
  CHECK(of(24, "ring", Protocol::simple) == ring);
  CHECK(of(25, "ring", Protocol::simple) == Approx(ring + 8.4 + 14 * 3.4));
  CHECK(of(8 * 24, "tree", Protocol::simple) == tree);
  CHECK(of(8 * 24 + 1, "tree", Protocol::simple) == Approx(tree + 8.4 + 14 * 4));
}
