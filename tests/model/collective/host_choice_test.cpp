#include "model/collective/host_choice.h"

#include <catch2/catch.hpp>
#include <string>

#include "model/collective/algorithm.h"
#include "model/collective/open_mpi_rules.h"
#include "sim/base/error.h"

using namespace dsim;

namespace {

constexpr OpenMpiVersion v4_0{4, 0}, v4_1{4, 1}, v5_0{5, 0};

std::string open_mpi(std::uint32_t ranks, Bytes size, OpenMpiVersion version = v4_1,
                     CollectiveOp op = CollectiveOp::all_reduce, std::uint32_t nodes = 1) {
  return std::string(choose_open_mpi({op, size, ranks, nodes}, version).algorithm);
}

}  // namespace

TEST_CASE("Open MPI 4.1 and 5.0 all-reduce by the fixed table of sizes and ranks",
          "[host_choice]") {
  // open-mpi/ompi coll_tuned_decision_fixed.c, both sides of thresholds.
  const auto [ranks, bytes, algorithm] = GENERATE(table<std::uint32_t, std::int64_t, std::string>(
      {{2, 7, "ring"},
       {2, 8, "recursive_doubling"},
       {2, 4096, "ring"},
       {3, 65536, "segmented_ring"},
       {3, 262144, "halving_doubling"},
       {4, 15, "ring"},
       {7, 8191, "recursive_doubling"},
       {8, 8192, "halving_doubling"},
       {16, 63, "segmented_ring"},
       {31, 4095, "recursive_doubling"},
       {32, 127, "segmented_ring"},
       {64, 262143, "recursive_doubling"},
       {64, 262144, "halving_doubling"},
       {128, 131071, "nonoverlapping"},
       {255, 131072, "recursive_doubling"},
       {256, 4096, "halving_doubling"},
       {2047, 16383, "recursive_doubling"},
       {2048, 4095, "segmented_ring"},
       {4096, 32767, "recursive_doubling"},
       {100000, std::int64_t{1} << 40, "halving_doubling"}}));
  CAPTURE(ranks, bytes);
  CHECK(open_mpi(ranks, Bytes{bytes}) == algorithm);
  CHECK(open_mpi(ranks, Bytes{bytes}, v5_0) == algorithm);  // one node: no HAN
}

TEST_CASE("Open MPI to 4.0 all-reduces by a ring from 10,000 bytes, in segments above 1 MiB a rank",
          "[host_choice]") {
  CHECK(open_mpi(8, Bytes{9999}, v4_0) == "recursive_doubling");
  CHECK(open_mpi(8, Bytes{10000}, v4_0) == "ring");
  CHECK(open_mpi(8, 8_MiB, v4_0) == "ring");
  const HostChoice large =
      choose_open_mpi({CollectiveOp::all_reduce, Bytes{(8 << 20) + 1}, 8, 1}, v4_0);
  CHECK(large.algorithm == "segmented_ring");
  CHECK(large.segment == 1_MiB);
}

TEST_CASE("Open MPI 5 is hierarchical where several ranks share each of several nodes",
          "[host_choice]") {
  const HostChoice han = choose_open_mpi({CollectiveOp::all_reduce, 1_GiB, 16, 2}, v5_0);
  CHECK(han.algorithm == "hierarchical");
  CHECK(han.segment == 512_KiB);
  CHECK(open_mpi(16, 1_GiB, v4_1, CollectiveOp::all_reduce, 2) == "halving_doubling");
  CHECK(open_mpi(16, 1_GiB, v5_0, CollectiveOp::all_reduce, 16) == "halving_doubling");
  CHECK(open_mpi(16, 1_GiB, v5_0, CollectiveOp::all_to_all, 2) != "hierarchical");
}

TEST_CASE("a rank's part decides for gathers and all-to-all, the whole vector for reductions",
          "[host_choice]") {
  // 8 to 15 ranks, all-to-all: linear with bounded requests below 256 KiB a peer, then linear.
  CHECK(choose_open_mpi({CollectiveOp::all_to_all, Bytes{8 * 262143}, 8, 1}, v4_1).assumed);
  CHECK_FALSE(choose_open_mpi({CollectiveOp::all_to_all, Bytes{8 * 262144}, 8, 1}, v4_1).assumed);
  // 128 ranks and more than 256 KiB a peer: pairwise; below 1 KiB: Bruck.
  CHECK(open_mpi(128, Bytes{128 * 262144}, v4_1, CollectiveOp::all_to_all) == "pairwise");
  CHECK(open_mpi(128, Bytes{128 * 1023}, v4_1, CollectiveOp::all_to_all) == "bruck");
  CHECK(open_mpi(16, 64_KiB, v4_1, CollectiveOp::reduce_scatter) == "halving_doubling");
  CHECK(open_mpi(16, 256_KiB, v4_1, CollectiveOp::reduce_scatter) == "ring");
  // Recursive doubling gathers powers of two only.
  CHECK(open_mpi(16, 1_MiB, v4_1, CollectiveOp::all_gather) == "recursive_doubling");
  CHECK(open_mpi(12, 1_MiB, v4_1, CollectiveOp::all_gather) == "bruck");
}

TEST_CASE("rows and steps of Open MPI's tables rise and end", "[host_choice]") {
  for (int i = 0; i < 10; ++i) {
    const auto op = static_cast<CollectiveOp>(i);
    const auto rows = open_mpi_rows(op);
    if (rows.empty()) {
      CHECK(op == CollectiveOp::sendrecv);
      continue;
    }
    CAPTURE(name_of(op));
    std::uint32_t ranks = 0;
    for (const OpenMpiRow& row : rows) {
      const bool last = &row == &rows.back();
      CHECK((row.ranks == 0) == last);
      if (!last) CHECK(row.ranks > ranks);
      ranks = row.ranks;
      std::int64_t below = 0;
      for (const OpenMpiStep& step : row.steps) {
        const bool end = &step == &row.steps.back();
        CHECK((step.below == 0) == end);
        if (!end) CHECK(step.below > below);
        below = step.below;
        CHECK(step.number >= 1);
        CHECK(step.number <= 9);
      }
    }
  }
}

TEST_CASE("every call of every version has an algorithm and a reason", "[host_choice]") {
  for (const OpenMpiVersion version : {v4_0, v4_1, v5_0})
    for (int i = 0; i < 10; ++i)
      for (const std::uint32_t ranks : {1u, 2u, 3u, 8u, 100u, 5000u})
        for (const Bytes size : {Bytes{0}, Bytes{1}, 4_KiB, 1_MiB, 4_GiB})
          for (const std::uint32_t nodes : {1u, 4u}) {
            if (nodes > ranks) continue;
            const HostCall call{static_cast<CollectiveOp>(i), size, ranks, nodes};
            CHECK_FALSE(choose_open_mpi(call, version).algorithm.empty());
            CHECK_FALSE(choose_open_mpi(call, version).reason.empty());
            CAPTURE(name_of(call.op), ranks, nodes, size.count, version.major);
            CHECK(algorithm_by_name(choose_open_mpi(call, version).algorithm).supports(call.op));
            CHECK(algorithm_by_name(choose_gloo(call).algorithm).supports(call.op));
          }
}

TEST_CASE("Gloo all-reduces by its ring, bcube only if asked", "[host_choice]") {
  const HostCall call{CollectiveOp::all_reduce, 64_MiB, 8, 8};
  CHECK(choose_gloo(call).algorithm == "gloo_ring");
  CHECK(choose_gloo(call).segment == 1_MiB);
  CHECK(choose_gloo(call, true).algorithm == "bcube");
  // Two segments a rank at least: 1 MiB over 8 ranks makes 16.
  CHECK(choose_gloo({CollectiveOp::all_reduce, 1_MiB, 8, 8}).segment == 64_KiB);
  // ceil(10 MiB / 1 MiB) = 10 segments, at least 6, a multiple of 3: 12.
  CHECK(choose_gloo({CollectiveOp::all_reduce, 10_MiB, 3, 3}).segment.count ==
        (10 * 1048576 + 11) / 12);
}

TEST_CASE("versions of Open MPI read as its releases are named", "[host_choice]") {
  CHECK(parse_open_mpi_version("4.1.6") == v4_1);
  CHECK(parse_open_mpi_version("5.0") == v5_0);
  for (const char* wrong : {"", "4", "4.", "x", "9.1", "4.x", "-4.1", "4.1x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_open_mpi_version(wrong), InputError);
  }
}
