// Every program is played with sets of contributions instead of numbers: what a rank ends up with
// is then known exactly, whatever the time model says.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "model/collective/round_stages.h"
#include "tests/model/collective/rounds_worlds.h"

using namespace dsim;
using namespace dsim::test;

namespace {

double lg(std::uint32_t n) { return std::log2(n); }

bool has_root(CollectiveOp op) {
  return op == CollectiveOp::broadcast || op == CollectiveOp::reduce ||
         op == CollectiveOp::gather || op == CollectiveOp::scatter;
}

void check_all_operations(const Communicator& c) {
  for (const Algorithm* algorithm : round_algorithms())
    for (const CollectiveOp op : all_collectives()) {
      if (!algorithm->supports(op)) continue;
      for (const std::uint32_t root :
           {0u, has_root(op) ? c.size() / 2 : 0u, has_root(op) ? c.size() - 1 : 0u}) {
        const PlanRequest request{
            .communicator = &c, .op = op, .size = Bytes{5 << 20}, .root = root};
        if (!algorithm->unfit(request).empty()) continue;
        INFO(algorithm->name << ' ' << name_of(op) << " of " << c.size() << " ranks in "
                             << c.nodes.size() << " nodes, root " << root);
        const Schedule schedule = algorithm->plan(request);
        CHECK(schedule.pattern == Pattern::rounds);
        CHECK(first_fault(schedule.program, op, c.size(), root) == "");
      }
    }
}

}  // namespace

TEST_CASE("In rounds, every rank ends with every block reduced exactly once", "[rounds]") {
  for (std::uint32_t n = 1; n <= 33; ++n) check_all_operations(first_ranks(n));
}

TEST_CASE("The same on grids of nodes and on odd shapes", "[rounds]") {
  for (std::uint32_t height = 1; height <= 7; ++height)
    for (std::uint32_t width = 1; width <= 8; ++width) check_all_operations(grid_of(height, width));
  check_all_operations(first_ranks(64));
  check_all_operations(first_ranks(100));
}

TEST_CASE("Ranks may be on their GPUs in any order", "[rounds]") {
  std::mt19937 random(20240611);
  const Communicator packed = grid_of(3, 4);
  for (int i = 0; i < 10; ++i) {
    std::vector<GpuId> gpus = packed.gpus;
    std::shuffle(gpus.begin(), gpus.end(), random);
    check_all_operations(
        make_communicator(*packed.topology, packed.routing, packed.architecture, gpus));
  }
}

TEST_CASE("All-to-all with random unequal parts sends each part once and nothing else",
          "[rounds]") {
  std::mt19937 random(7);
  for (std::uint32_t n = 1; n <= 17; ++n)
    for (const char* name : {"direct", "pairwise", "linear"}) {
      const Communicator c = first_ranks(n);
      std::vector<std::int64_t> counts(n * n);
      for (std::int64_t& count : counts)
        count = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 1'000'000);
      const std::int64_t size = 12'345'678;
      const PlanRequest request{.communicator = &c,
                                .op = CollectiveOp::all_to_all,
                                .size = Bytes{size},
                                .counts = counts};
      INFO(name << " of " << n << " ranks");
      REQUIRE(algorithm_by_name(name).unfit(request) == "");
      const RoundProgram program = algorithm_by_name(name).plan(request).program;
      CHECK(first_fault(program, CollectiveOp::all_to_all, n) == "");
      double wire = 0;
      for (std::uint32_t i = 0; i < n * n; ++i)
        if (i / n != i % n) wire += static_cast<double>(counts[i]);
      CHECK(wire_shares(program, n).all * static_cast<double>(size) == Approx(wire).margin(1e-6));
    }
}

TEST_CASE("Unequal parts are refused where they cannot be had", "[rounds]") {
  const Communicator c = first_ranks(3);
  std::vector<std::int64_t> counts(9, 5);
  PlanRequest request{
      .communicator = &c, .op = CollectiveOp::all_to_all, .size = Bytes{15}, .counts = counts};
  CHECK(algorithm_by_name("bruck").unfit(request) ==
        "bruck needs equal parts; pairwise and direct take unequal ones");
  counts[5] = -1;
  CHECK(algorithm_by_name("direct").unfit(request) == "rank 1 cannot send -1 bytes to rank 2");
  counts.pop_back();
  request.counts = counts;
  CHECK(algorithm_by_name("direct").unfit(request) ==
        "unequal parts for 3 ranks are 9 numbers, not 8");
}

TEST_CASE("Bytes on the wire are the textbook's", "[rounds]") {
  using enum CollectiveOp;
  const auto most = [](const char* algorithm, CollectiveOp op, std::uint32_t n) {
    const Communicator c = first_ranks(n);
    return wire_shares(rounds_of(algorithm, c, op).program, n).most;
  };
  for (const std::uint32_t n : {2u, 4u, 8u, 16u, 32u, 64u, 128u}) {
    const double share = (n - 1.0) / n;
    INFO(n << " ranks");
    CHECK(most("halving_doubling", all_reduce, n) == Approx(2 * share));
    CHECK(most("halving_doubling", reduce_scatter, n) == Approx(share));
    CHECK(most("halving_doubling", all_gather, n) == Approx(share));
    CHECK(most("recursive_doubling", all_reduce, n) == Approx(lg(n)));
    CHECK(most("recursive_doubling", all_gather, n) == Approx(share));
    CHECK(most("bruck", all_to_all, n) == Approx(lg(n) / 2));
    CHECK(most("binomial", broadcast, n) == Approx(lg(n)));
    CHECK(most("binomial", gather, n) == Approx(0.5));
  }
  for (const std::uint32_t n : {2u, 3u, 6u, 7u, 8u, 12u, 16u, 27u, 31u, 33u}) {
    const double share = (n - 1.0) / n;
    INFO(n << " ranks");
    for (const char* name : {"bcube", "ring_chunked", "gloo_ring", "segmented_ring"})
      CHECK(most(name, all_reduce, n) == Approx(2 * share));
    for (const char* name : {"pat", "bruck"}) CHECK(most(name, all_gather, n) == Approx(share));
    CHECK(most("pat", reduce_scatter, n) == Approx(share));
    for (const char* name : {"direct", "pairwise", "linear"})
      CHECK(most(name, all_to_all, n) == Approx(share));
    CHECK(most("direct", sendrecv, n) == Approx(1));
    CHECK(most("direct", scatter, n) == Approx(share));
    CHECK(most("linear", all_reduce, n) == Approx(n - 1));
    CHECK(most("linear", broadcast, n) == Approx(n - 1));
    const Communicator c = first_ranks(n);
    CHECK(wire_shares(rounds_of("nonoverlapping", c, all_reduce).program, n).all ==
          Approx(2 * (n - 1)));
  }
}

TEST_CASE("On a grid of nodes only a shard leaves the node", "[rounds]") {
  for (const auto& [height, width] : {std::pair{4u, 8u}, {8u, 4u}, {3u, 8u}, {16u, 8u}})
    for (const char* name : {"hierarchical", "torus_2d"})
      for (const CollectiveOp op :
           {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter}) {
        if (height == 3 && name[0] == 'h' && op == CollectiveOp::all_reduce) continue;
        const Communicator c = grid_of(height, width);
        const Schedule s = rounds_of(name, c, op);
        std::vector<double> out(c.size()), in(c.size());
        std::vector<Transfer> transfers;
        for (std::uint32_t round = 0; round < s.program.rounds; ++round) {
          s.program.transfers(round, transfers);
          for (const Transfer& t : transfers)
            (t.from / width == t.to / width ? in : out)[t.from] += share_of(s.program, t);
        }
        INFO(name << ' ' << name_of(op) << ' ' << height << " x " << width);
        const double ways = op == CollectiveOp::all_reduce ? 2 : 1;
        for (std::uint32_t rank = 0; rank < c.size(); ++rank) {
          CHECK(out[rank] == Approx(ways * (height - 1) / (height * width)));
          CHECK(in[rank] == Approx(ways * (width - 1) / width));
        }
      }
}

TEST_CASE("Numbers of rounds are the textbook's", "[rounds]") {
  using enum CollectiveOp;
  const auto rounds = [](const char* algorithm, CollectiveOp op, std::uint32_t n,
                         std::int64_t bytes = 1 << 20) {
    const Communicator c = first_ranks(n);
    return rounds_of(algorithm, c, op, bytes).program.rounds;
  };
  for (const std::uint32_t n : {2u, 3u, 5u, 8u, 13u, 16u, 31u, 32u, 33u}) {
    const auto up = log2_up(n);
    const bool power = power_of_two_below(n) == n;
    INFO(n << " ranks");
    CHECK(rounds("recursive_doubling", all_reduce, n) == (power ? up : up - 1 + 2));
    CHECK(rounds("halving_doubling", all_reduce, n) == (power ? 2 * up : 2 * (up - 1) + 3));
    CHECK(rounds("pat", all_gather, n) == up);
    CHECK(rounds("bruck", all_to_all, n) == up);
    CHECK(rounds("bruck", barrier, n) == up);
    CHECK(rounds("binomial", reduce, n) == up);
    CHECK(rounds("nonoverlapping", all_reduce, n) == 2 * up);
    CHECK(rounds("pairwise", all_to_all, n) == n);
    CHECK(rounds("direct", all_to_all, n) == 1);
    CHECK(rounds("ring_chunked", all_reduce, n) == 4 * (n - 1));
    // Gloo: at least two segments a rank, none above 1 MiB.
    CHECK(rounds("gloo_ring", all_reduce, n, 4) == 4 * (n - 1));
    CHECK(rounds("gloo_ring", all_reduce, n, std::int64_t{n} * 5 << 20) == 2 * 5 * (n - 1));
    // Open MPI: (segments + 1)(n - 1).
    CHECK(rounds("segmented_ring", all_reduce, n, std::int64_t{n} * 5 << 20) == 6 * (n - 1));
  }
  CHECK(rounds("bcube", all_reduce, 12) == 6);
}

TEST_CASE("Grids that do not exist are refused", "[rounds]") {
  const Communicator uneven = first_ranks(12), prime = first_ranks(7);
  const auto unfit = [](const char* name, const Communicator& c) {
    return algorithm_by_name(name).unfit({.communicator = &c, .op = CollectiveOp::all_reduce});
  };
  CHECK(unfit("hierarchical", uneven) ==
        "hierarchical needs as many ranks on every node of the communicator");
  CHECK(unfit("torus_2d", prime) ==
        "torus_2d needs ranks that form at least two rows and two columns");
  CHECK(unfit("torus_2d", uneven) == "");  // 3 x 4 consecutive ranks
}

TEST_CASE("A faulty program is told by rank and block", "[rounds]") {
  RoundProgram program;
  program.rounds = 2;
  program.blocks = 2;
  program.phases = {{0, 2}};
  std::vector<std::vector<Transfer>> rounds = {{{0, 1, 0, 2, true}}, {{1, 0, 0, 2, false}}};
  program.transfers = [&rounds](std::uint32_t round, std::vector<Transfer>& out) {
    out = rounds[round];
  };
  const auto fault = [&](CollectiveOp op, std::uint32_t ranks = 2) {
    return first_fault(program, op, ranks);
  };
  CHECK(fault(CollectiveOp::all_reduce) == "");
  rounds[1][0].block_count = 1;
  CHECK(fault(CollectiveOp::all_reduce) ==
        "rank 0, block 1: the part of rank 1 is missing at the end");
  rounds[1][0] = {1, 0, 0, 2, true};
  CHECK(fault(CollectiveOp::all_reduce) ==
        "rank 0, block 0: the part of rank 0 is added twice (round 1)");
  CHECK(fault(CollectiveOp::all_gather) ==
        "rank 0, block 1: sent to rank 1 before it is there (round 0)");
  rounds = {{{0, 2, 0, 1, false}, {1, 2, 0, 1, false}}, {}};
  CHECK(fault(CollectiveOp::all_reduce, 3) ==
        "rank 2, block 0: two messages replace it at once (round 0)");
  rounds[0][0].to = 3;
  CHECK(fault(CollectiveOp::all_reduce, 3) == "round 0: there is no rank 3");
  program.phases = {{0, 1}};
  CHECK(fault(CollectiveOp::all_reduce, 3) == "its phases do not cover round 1");
}
