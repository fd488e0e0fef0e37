// Fabrics: shapes, hops and the rate across the middle, against closed forms and maximum flow.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "route_checks.h"
#include "sim/base/error.h"
#include "sim/network/topology_summary.h"

namespace dsim {
namespace {

using tests::route_between;

std::shared_ptr<const Topology> build(int nodes, const std::string& fabric,
                                      const std::string& node = "dgx-h100") {
  return parse_topology(
      fmt::format(R"({{"format": "dsim.topology/1", "node": "{}", "nodes": {}, "fabric": {}}})",
                  node, nodes, fabric),
      "t.json");
}

double gigabytes(Bandwidth rate) { return rate.bytes_per_second * 1e-9; }

std::size_t count(const Topology& topology, VertexKind kind) {
  for (const VertexCount& vertices : summarize(topology).vertices)
    if (vertices.kind == kind) return vertices.count;
  return 0;
}

TEST_CASE("a rail-optimised cluster has the leaves and spines of a DGX SuperPOD") {
  // NVIDIA DGX SuperPOD reference architecture, H100 and B200: units of 32 nodes, leaves, spines.
  for (const auto& [units, leaves, spines] :
       {std::array{2, 16, 8}, std::array{4, 32, 16}, std::array{8, 64, 32}}) {
    const auto topology = build(32 * units, R"({"kind": "rail_optimised"})");
    CHECK(count(*topology, VertexKind::leaf) == static_cast<std::size_t>(leaves));
    CHECK(count(*topology, VertexKind::spine) == static_cast<std::size_t>(spines));
  }
}

TEST_CASE("bisection follows the closed forms") {
  // 1:1: half of the nodes send at their NICs' rate. 64 nodes of 8 x 50 GB/s: 32 * 400 GB/s.
  CHECK(gigabytes(bisection_bandwidth(*load_topology("dgx8x64.json"))) == Approx(12'800));
  CHECK(gigabytes(bisection_bandwidth(*load_topology("dgx8x64-a100.json"))) == Approx(6'400));
  CHECK(gigabytes(bisection_bandwidth(*load_topology("dgx8x64-v100.json"))) ==
        Approx(32 * 4 * 12.5));
  // 2:1: half of 8 nodes * 8 * 25 GB/s.
  CHECK(gigabytes(bisection_bandwidth(*load_topology("a100x16-oversubscribed.json"))) ==
        Approx(800));
  // A ring is cut in two places, 8 cables of 25 GB/s each; two nodes have one cable a rail.
  CHECK(gigabytes(bisection_bandwidth(*load_topology("ring4.json"))) == Approx(2 * 8 * 25));
  CHECK(gigabytes(bisection_bandwidth(*build(2, R"({"kind": "ring"})", "dgx-a100-80"))) ==
        Approx(8 * 25));
  CHECK(gigabytes(bisection_bandwidth(*load_topology("dgx-h100x2.json"))) == Approx(8 * 50));
  // Inside: four GPUs of 450 GB/s each, and 22 GB/s between the sockets.
  CHECK(gigabytes(bisection_bandwidth(*load_topology("dgx-h100x1.json"))) == Approx(4 * 450 + 22));
  // DGX-1: 0-4 and 1-5 doubly, 2-6 and 3-7 singly joined by NVLinks of 25 GB/s; 6 GB/s of QPI.
  CHECK(gigabytes(bisection_bandwidth(*load_topology("dgx1-v100x1.json"))) == Approx(6 * 25 + 6));
  CHECK(gigabytes(bisection_bandwidth(*load_topology("explicit-2x2.json"))) == Approx(50));
}

TEST_CASE("the closed forms of bisection equal maximum flow on clusters of any shape") {
  const unsigned seed = 8;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int trial = 0; trial < 60; ++trial) {
    const int nodes = pick(2, 13);
    std::string fabric;
    switch (pick(0, 3)) {
      case 0:
        fabric = R"({"kind": "single_switch"})";
        break;
      case 1:
        fabric = R"({"kind": "ring"})";
        break;
      case 2:
        fabric = fmt::format(R"({{"kind": "rail_optimised", "scalable_unit": {}}})", pick(1, 6));
        break;
      default:
        fabric = fmt::format(
            R"({{"kind": "fat_tree", "nodes_per_leaf": {}, "oversubscription": "{}:1"}})",
            pick(1, 5), 1 << pick(0, 2));
    }
    INFO(nodes << " nodes, " << fabric);
    const auto topology = build(nodes, fabric);
    CHECK(bisection_bandwidth(*topology).bytes_per_second ==
          Approx(bisection_by_max_flow(*topology).bytes_per_second));
    const auto part = first_gpus(topology, 8 * static_cast<std::size_t>(pick(1, nodes)));
    if (part->node_count() > 1)
      CHECK(bisection_bandwidth(*part).bytes_per_second ==
            Approx(bisection_by_max_flow(*part).bytes_per_second));
  }
}

TEST_CASE("a two-level tree has one switch under a leaf and three between leaves") {
  const auto topology = load_topology("a100x16-oversubscribed.json");
  CHECK(route_between(*topology, 0, 3 * 8 + 5, Routing::spray).switch_hops == 1);
  const Route far = route_between(*topology, 0, 4 * 8, Routing::spray);
  CHECK(far.switch_hops == 3);
  CHECK(far.links.size() == 6 + 16 + 16);  // 32 ports down and 2:1: 16 cables up
  CHECK(route_between(*topology, 0, 4 * 8, Routing::hash).links.size() == 8);
}

TEST_CASE("a ring goes the shorter way round, both ways if they are equal, and keeps to its rail") {
  const auto topology = load_topology("ring4.json");
  const Route next = route_between(*topology, 0, 8, Routing::spray);
  CHECK(next.links.size() == 5);
  CHECK(next.switch_hops == 0);
  CHECK(route_between(*topology, 0, 24, Routing::spray).links.size() == 5);
  const Route opposite = route_between(*topology, 0, 16, Routing::spray);
  CHECK(opposite.links.size() == 4 + 2 * 2);
  CHECK(opposite.links[2].share == 0.5);
  CHECK(route_between(*topology, 0, 16, Routing::hash).links.size() == 4 + 2);
  // Rails are not joined: every routing moves to the right rail over NVLink first.
  const Route across = route_between(*topology, 0, 8 + 3, Routing::spray);
  CHECK(topology->link(across.links[0].link).kind == LinkKind::nvlink);
  CHECK(across.links.size() == 7);
}

TEST_CASE("rails without spines are reached over NVLink alone") {
  const auto topology = build(4, R"({"kind": "rail_optimised", "spines": 0})");
  CHECK(count(*topology, VertexKind::spine) == 0);
  const Route across = route_between(*topology, 0, 8 + 3, Routing::spray);
  CHECK(across.switch_hops == 1);
  CHECK(topology->link(across.links[0].link).kind == LinkKind::nvlink);
  CHECK_THROWS_WITH(
      build(64, R"({"kind": "rail_optimised", "spines": 0})"),
      Catch::Contains("without spines all nodes must be in one scalable unit; here they are in 2"));
}

TEST_CASE("spines given by hand share the cables of each leaf") {
  const auto topology = build(
      64,
      R"({"kind": "rail_optimised", "spines": 32, "uplink_bandwidth": "800 Gb/s", "oversubscription": "0.5:1"})");
  CHECK(count(*topology, VertexKind::spine) == 32);
  CHECK_THROWS_WITH(build(64, R"({"kind": "rail_optimised", "spines": 5})"),
                    Catch::Contains("5 spines cannot share the 32 cables up of each leaf evenly"));
}

TEST_CASE("100,000 GPUs build and route without storing anything per pair") {
  const auto topology = build(12'500, R"({"kind": "rail_optimised"})");
  CHECK(topology->gpu_count() == 100'000);
  const unsigned seed = 5;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> any(0, 99'999);
  Route route;
  for (int trial = 0; trial < 100; ++trial) {
    const GpuId from(any(random)), to(any(random));
    if (from == to) continue;
    topology->route(from, to, Routing::rail_aligned, {}, route);
    tests::check_unit_flow(*topology, from, to, route);
    const bool one_unit = topology->node_of(from) / 32 == topology->node_of(to) / 32;
    CHECK(route.switch_hops == (!route.leaves_node ? 0 : one_unit ? 1 : 3));
  }
}

}  // namespace
}  // namespace dsim
