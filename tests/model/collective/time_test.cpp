#include <catch2/catch.hpp>
#include <cmath>

#include "model/collective/run_collectives.h"
#include "tests/model/collective/worlds.h"

using namespace dsim;
using namespace dsim::test;

TEST_CASE("a ring takes 2(n-1)(alpha + S/(nB)) at every fidelity") {
  // One channel of one slice: chunk S/n <= 32 KiB. NVLink of 450 GB/s.
  const auto topology = shipped("dgx-h100x1.json");
  const auto n = GENERATE(2u, 4u, 8u);
  const auto fidelity = GENERATE(Fidelity::steps, Fidelity::fluid, Fidelity::closed);
  CAPTURE(n, name_of(fidelity));
  const Communicator c = everybody(*topology, n);
  CollectiveConstants k = ideal(0);
  const Bytes size{static_cast<std::int64_t>(n) * 16384};
  const double chunk = 16384.0 / 450e9;
  // The model's own latency of a short step is 1.5 us at least (see step_cost).
  const double alpha = 1.5e-6;
  const double expected = 2.0 * (n - 1) * (alpha + chunk);
  CHECK(seconds(c, "ring", CollectiveOp::all_reduce, size, k, fidelity, 1) ==
        Approx(expected).epsilon(1e-6));
}

TEST_CASE("large all-reduces reach the bandwidth of their bottleneck") {
  // busbw = S/t x 2(n-1)/n tends to the rate of a GPU's NVLink port, or of a node's NICs.
  const auto [name, limit] = GENERATE(table<std::string, double>({{"dgx-h100x1.json", 450e9},
                                                                  {"dgx-a100x1.json", 300e9},
                                                                  {"dgx-a100x2.json", 8 * 25e9},
                                                                  {"dgx-h100x2.json", 8 * 50e9}}));
  CAPTURE(name);
  const auto topology = shipped(name);
  const Communicator c = everybody(*topology);
  const double n = c.size(), bytes = 4294967296.0;
  const double t = seconds(c, "ring", CollectiveOp::all_reduce, 4_GiB, ideal(0), Fidelity::fluid);
  const double busbw = bytes / t * 2 * (n - 1) / n;
  CHECK(busbw <= limit * 1.0001);
  CHECK(busbw >= limit * .95);
}

TEST_CASE("two all-reduces on the same NICs take twice as long as one") {
  const auto topology = shipped("dgx-h100x2.json");
  const Communicator c = everybody(*topology);
  const CollectiveConstants k = ideal(0);
  const double alone = seconds(c, "ring", CollectiveOp::all_reduce, 1_GiB, k, Fidelity::fluid);
  CHECK(seconds(c, "ring", CollectiveOp::all_reduce, 1_GiB, k, Fidelity::fluid, 0, 2) ==
        Approx(2 * alone).epsilon(.01));
}

TEST_CASE("on two nodes a tree puts each byte on a NIC once, on more nodes twice") {
  // The bonus and its end come out of the flows: busbw of the tree on 2 nodes exceeds the NICs'
  // rate.
  const auto topology = shipped("dgx8x64.json");
  const CollectiveConstants k = ideal(0);
  const auto busbw = [&](std::size_t gpus) {
    const Communicator c = everybody(*topology, gpus);
    const double n = static_cast<double>(gpus);
    return 4294967296.0 / seconds(c, "tree", CollectiveOp::all_reduce, 4_GiB, k, Fidelity::fluid) *
           2 * (n - 1) / n;
  };
  const double nics = 8 * 50e9;
  CHECK(busbw(16) > 1.0 * nics);
  CHECK(busbw(32) < 1.0 * nics);
  CHECK(busbw(32) == Approx(nics).epsilon(.1));
}

TEST_CASE("all-gather and reduce-scatter take n - 1 of an all-reduce's 2(n - 1) steps") {
  const auto topology = shipped("dgx-a100x1.json");
  const Communicator c = everybody(*topology);
  const CollectiveConstants k = ideal(0);
  const double all_reduce = seconds(c, "ring", CollectiveOp::all_reduce, 1_GiB, k, Fidelity::fluid);
  CHECK(seconds(c, "ring", CollectiveOp::all_gather, 1_GiB, k, Fidelity::fluid) ==
        Approx(all_reduce / 2).epsilon(.001));
  CHECK(seconds(c, "ring", CollectiveOp::reduce_scatter, 1_GiB, k, Fidelity::fluid) ==
        Approx(all_reduce / 2).epsilon(.001));
}

TEST_CASE("a broadcast streams: its time tends to S over the bottleneck") {
  const auto topology = shipped("dgx-a100x1.json");
  const Communicator c = everybody(*topology);
  CHECK(seconds(c, "ring", CollectiveOp::broadcast, 4_GiB, ideal(0), Fidelity::fluid) ==
        Approx(4294967296.0 / 300e9).epsilon(.03));
}

TEST_CASE("more bandwidth or less latency never slows a collective") {
  const auto topology = shipped("dgx-a100x2.json");
  const Communicator c = everybody(*topology);
  const auto algorithm = GENERATE("ring", "tree");
  const auto mib = GENERATE(1, 16, 256);
  CollectiveConstants k = built_in_collective_constants(machine_of(*topology));
  const Bytes size{std::int64_t{mib} << 20};
  const double base = seconds(c, algorithm, CollectiveOp::all_reduce, size, k, Fidelity::fluid);
  k.visit([&](std::string_view name, Constant& constant) {
    CAPTURE(name, algorithm, mib);
    const double value = constant.value;
    const bool rate = name.find("rate") != name.npos || name.find("efficiency") != name.npos;
    constant.value = rate ? value * 1.3 : value / 1.3;
    CHECK(seconds(c, algorithm, CollectiveOp::all_reduce, size, k, Fidelity::fluid) <=
          base * (1 + 1e-9));
    constant.value = value;
  });
}
