// Three-level trees, tori, dragonflies, full meshes: routes and rates against the graph itself.
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
                                      const std::string& node = "dgx-a100-80") {
  return parse_topology(
      fmt::format(R"({{"format": "dsim.topology/1", "node": "{}", "nodes": {}, "fabric": {}}})",
                  node, nodes, fabric),
      "t.json");
}

double gigabytes(Bandwidth rate) { return rate.bytes_per_second * 1e-9; }

struct Case {
  int nodes;
  std::string fabric, node;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {16, R"({"kind": "fat_tree_3", "nodes_per_leaf": 1, "leaves_per_pod": 4})", "dgx-a100-80"},
      {12,
       R"({"kind": "fat_tree_3", "nodes_per_leaf": 2, "leaves_per_pod": 2,
           "oversubscription": "2:1", "core_oversubscription": "4:1"})",
       "dgx-a100-80"},
      {9, R"({"kind": "fat_tree_3", "nodes_per_leaf": 2, "leaves_per_pod": 2, "spines": 2})",
       "gh200-x4"},
      {12, R"({"kind": "torus", "dimensions": [4, 3]})", "gh200-x4"},
      {16, R"({"kind": "torus", "dimensions": [4, 2, 2]})", "gh200-x4"},
      {6, R"({"kind": "torus", "dimensions": [1, 6]})", "gh200-x4"},
      {24, R"({"kind": "dragonfly", "nodes_per_switch": 2, "switches_per_group": 3})", "gh200-x4"},
      {20,
       R"({"kind": "dragonfly", "nodes_per_switch": 1, "switches_per_group": 4,
           "global_cables": 3, "local_cables": 2, "global_bandwidth": "100 Gb/s"})",
       "gh200-x4"},
      {7, R"({"kind": "dragonfly", "nodes_per_switch": 2, "switches_per_group": 2})", "kestrel"},
      {6, R"({"kind": "fully_connected"})", "gh200-x4"},
      {5, R"({"kind": "fully_connected", "cable_bandwidth": "50 Gb/s"})", "kestrel"}};
  return all;
}

TEST_CASE("routes of the larger fabrics are unit flows of the length they claim, alike both ways") {
  std::mt19937 random(20261201);
  for (const Case& c : cases()) {
    INFO(c.fabric);
    const auto t = build(c.nodes, c.fabric, c.node);
    const int gpus = static_cast<int>(t->gpu_count());
    std::uniform_int_distribution<int> any(0, gpus - 1);
    for (const Routing routing : {t->default_routing(), Routing::spray, Routing::hash})
      for (int trial = 0; trial < 150; ++trial) {
        const int a = any(random), b = any(random);
        if (a == b) continue;
        const RouteKey key{static_cast<std::uint32_t>(any(random)), random()};
        const Route there = route_between(*t, a, b, routing, key);
        tests::check_unit_flow(*t, GpuId(a), GpuId(b), there);
        CHECK(tests::latency_by_links(*t, there) == Approx(there.latency.seconds()).margin(1e-11));
        if (routing == Routing::hash) continue;
        const Route back = route_between(*t, b, a, routing, key);
        CHECK(back.switch_hops == there.switch_hops);
        CHECK(back.latency.seconds() == Approx(there.latency.seconds()).margin(1e-11));
      }
  }
}

TEST_CASE("the rate from the first to the last nodes is the maximum flow") {
  for (const Case& c : cases()) {
    INFO(c.fabric);
    const auto t = build(c.nodes, c.fabric, c.node);
    CHECK(gigabytes(bisection_bandwidth(*t)) == Approx(gigabytes(bisection_by_max_flow(*t))));
    const auto part = first_gpus(t, t->gpus_per_node() * static_cast<std::size_t>(c.nodes / 2 + 1));
    CHECK(gigabytes(bisection_bandwidth(*part)) == Approx(gigabytes(bisection_by_max_flow(*part))));
  }
}

TEST_CASE("every link of the larger fabrics leads from a vertex to another and has a way back") {
  for (const Case& c : cases()) {
    INFO(c.fabric);
    const auto t = build(c.nodes, c.fabric, c.node);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
    for (std::size_t l = 0; l < t->link_count(); ++l) {
      const Link link = t->link(LinkId(l));
      REQUIRE(link.from.index() < t->vertex_count());
      REQUIRE(link.to.index() < t->vertex_count());
      REQUIRE(link.from != link.to);
      ++balance[{link.from.value, link.to.value}];
      --balance[{link.to.value, link.from.value}];
    }
    for (const auto& [pair, count] : balance) CHECK(count == 0);
  }
}

TEST_CASE("a three-level tree has the switches of its parameters, and tapers by their ratio") {
  // Pods of 4 leaves of 8 NICs: 32 cables between leaves and spines of 32 ports down: 1 spine.
  const auto full =
      build(16, R"({"kind": "fat_tree_3", "nodes_per_leaf": 1, "leaves_per_pod": 4, "spines": 8})");
  std::map<VertexKind, std::size_t> count;
  for (const VertexCount& v : summarize(*full).vertices) count[v.kind] = v.count;
  CHECK(count[VertexKind::leaf] == 16);
  CHECK(count[VertexKind::spine] == 32);
  CHECK(count[VertexKind::core] == 8);
  // 8 nodes of 8 x 25 GB/s send; a core at 2:1 lets half of that through, leaves at 2:1 too.
  CHECK(gigabytes(bisection_bandwidth(*full)) == Approx(1600));
  for (const char* ratio : {R"("core_oversubscription": "2:1")", R"("oversubscription": "2:1")"})
    CHECK(gigabytes(bisection_bandwidth(
              *build(16, fmt::format(R"({{"kind": "fat_tree_3", "nodes_per_leaf": 1,
                                          "leaves_per_pod": 4, "spines": 4, {}}})",
                                     ratio)))) == Approx(800));
  CHECK(route_between(*full, 0, 127, Routing::spray).switch_hops == 5);
  CHECK(route_between(*full, 0, 31, Routing::spray).switch_hops == 3);
}

TEST_CASE("a torus is cut in two planes, its farthest nodes half round in each dimension") {
  // 4 x 4 x 4 of 4 NICs of 25 GB/s: 2 planes of 16 cables a rail.
  const auto t = build(64, R"({"kind": "torus", "dimensions": [4, 4, 4]})", "gh200-x4");
  CHECK(gigabytes(bisection_bandwidth(*t)) == Approx(2 * 16 * 4 * 25));
  // Node 42 = (2, 2, 2): six cables, and PCIe at both ends.
  const Route far = route_between(*t, 0, 4 * 42, Routing::spray);
  double cables = 0;
  for (const LinkShare& part : far.links)
    cables += t->link(part.link).kind == LinkKind::slingshot ? part.share : 0;
  CHECK(cables == Approx(6));
}

TEST_CASE("a dragonfly passes at most two switches a group") {
  const auto t = load_topology("alps-dragonfly");
  CHECK(route_between(*t, 0, 1023, Routing::spray).switch_hops <= 4);
  CHECK(route_between(*t, 0, 4, Routing::spray).switch_hops == 1);
  CHECK(route_between(*t, 0, 16, Routing::spray).switch_hops == 2);
}

TEST_CASE("impossible shapes are refused") {
  CHECK_THROWS_AS(build(12, R"({"kind": "torus", "dimensions": [4, 4]})"), InputError);
  CHECK_THROWS_AS(build(12, R"({"kind": "torus", "dimensions": [12]})"), InputError);
  CHECK_THROWS_AS(build(12, R"({"kind": "torus"})"), InputError);
  CHECK_THROWS_AS(build(1, R"({"kind": "fully_connected"})"), InputError);
  CHECK_THROWS_AS(build(8, R"({"kind": "dragonfly", "nodes_per_switch": 0})"), InputError);
  CHECK_THROWS_AS(build(8, R"({"kind": "fat_tree_3", "spines": 0})"), InputError);
  CHECK_THROWS_AS(build(8, R"({"kind": "fat_tree_3", "core_oversubscription": "7:1"})"),
                  InputError);
}

}  // namespace
}  // namespace dsim
