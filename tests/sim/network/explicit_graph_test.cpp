#include <catch2/catch.hpp>

#include "route_checks.h"
#include "sim/base/error.h"
#include "sim/network/topology_summary.h"

namespace dsim {
namespace {

using tests::route_between;

/// Two hosts of one GPU and one NIC; `fabric` is the rest of the vertices and of the links.
std::shared_ptr<const Topology> two_hosts(const std::string& switches, const std::string& cables) {
  return parse_topology(R"({"format": "dsim.topology/1", "gpu": "l40s", "cpu": "amd",
    "vertices": {"gpu": ["g0", "g1"], "nic": ["n0", "n1"])" +
                            switches + R"(},
    "hosts": {"a": ["g0", "n0"], "b": ["g1", "n1"]},
    "links": [{"kind": "pcie", "bandwidth": "31.5 GB/s", "between": [["g0", "n0"], ["g1", "n1"]]})" +
                            cables + "]}",
                        "two.json");
}

TEST_CASE("an explicit graph spreads bytes evenly over equally short ways") {
  // n0 - l0 - (s0, s1, s2) - l1 - n1, and a detour over the core c that no byte takes.
  const auto topology = two_hosts(
      R"(, "leaf": ["l0", "l1"], "spine": ["s0", "s1", "s2"], "core": ["c"])",
      R"(, {"kind": "ib", "bandwidth": "100 Gb/s", "latency": "1 us", "between": [["n0", "l0"], ["n1", "l1"],
        ["l0", "s0"], ["l0", "s1"], ["l0", "s2"], ["s0", "l1"], ["s1", "l1"], ["s2", "l1"], ["s0", "c"], ["c", "s1"]]})");
  const Route route = route_between(*topology, 0, 1, Routing::spray);
  tests::check_unit_flow(*topology, GpuId(0), GpuId(1), route);
  CHECK(route.links.size() == 4 + 6);
  CHECK(route.switch_hops == 3);
  CHECK(route.latency.seconds() == Approx(2 * 0.2e-6 + 4e-6));
  for (const LinkShare& part : route.links)
    if (topology->vertex_kind(topology->link(part.link).to) == VertexKind::spine)
      CHECK(part.share == Approx(1.0 / 3));

  std::map<LinkId, int> taken;
  for (std::uint64_t flow = 0; flow < 300; ++flow) {
    const Route one = route_between(*topology, 0, 1, Routing::hash, {0, flow});
    REQUIRE(one.links.size() == 6);
    ++taken[one.links[2].link];
  }
  CHECK(taken.size() == 3);
  for (const auto& [link, times] : taken) CHECK(times > 60);
  CHECK(bisection_bandwidth(*topology).bytes_per_second == Approx(12.5e9));
  CHECK(topology->vertex_name(topology->gpu_vertex(GpuId(1))) == "g1");
}

TEST_CASE("NICs may be cabled to each other, and faster one way than the other") {
  const auto topology =
      two_hosts("", R"(, {"kind": "roce", "bandwidth": "100 Gb/s", "one_way": [["n0", "n1"]]},
                                          {"kind": "roce", "bandwidth": "40 Gb/s", "one_way": [["n1", "n0"]]})");
  const auto slowest = [&](int from, int to) {
    double rate = 1e18;
    for (const LinkShare& part : route_between(*topology, from, to, Routing::spray).links)
      rate = std::min(rate, topology->link(part.link).bandwidth.bytes_per_second);
    return rate;
  };
  CHECK(slowest(0, 1) == 12.5e9);
  CHECK(slowest(1, 0) == 5e9);
  CHECK(topology->default_routing() == Routing::hash);
}

TEST_CASE("hosts of an explicit graph may differ, and their GPUs count in order") {
  const auto topology = parse_topology(R"({"format": "dsim.topology/1", "gpu": "l40s", "cpu": "amd",
    "vertices": {"gpu": ["a0", "b0", "b1"], "nic": ["an", "bn"], "cpu": ["bc"], "leaf": ["l"]},
    "hosts": {"a": ["a0", "an"], "b": ["b1", "b0", "bc", "bn"]},
    "links": [{"kind": "pcie", "bandwidth": "31.5 GB/s", "between": [["a0", "an"], ["b0", "bc"], ["b1", "bc"], ["bn", "bc"]]},
              {"kind": "ib", "bandwidth": "100 Gb/s", "between": [["an", "l"], ["bn", "l"]]}]})",
                                       "t.json");
  CHECK(topology->gpu_count() == 3);
  CHECK(topology->node_count() == 2);
  CHECK(topology->gpus_per_node() == 2);
  CHECK(topology->node_of(GpuId(1)) == 1);
  CHECK(topology->vertex_name(topology->gpu_vertex(GpuId(1))) == "b1");  // as the host lists them
  tests::check_unit_flow(*topology, GpuId(0), GpuId(2),
                         route_between(*topology, 0, 2, Routing::spray));
  CHECK(first_gpus(topology, 1)->node_count() == 1);
  CHECK_THROWS_WITH(first_gpus(topology, 2), "error: 2 GPUs are not whole nodes of t (try 1 or 3)");
}

TEST_CASE(
    "an explicit graph with rails that are not joined moves to the right one inside the host") {
  const auto topology = parse_topology(R"({"format": "dsim.topology/1", "gpu": "l40s", "cpu": "amd",
    "vertices": {"gpu": ["a0", "a1", "b0", "b1"], "pcie_switch": ["as", "at", "bs", "bt"], "cpu": ["ac", "bc"],
                 "nic": ["an0", "an1", "bn0", "bn1"], "leaf": ["l0", "l1"]},
    "hosts": {"a": ["a0", "a1", "as", "at", "ac", "an0", "an1"], "b": ["b0", "b1", "bs", "bt", "bc", "bn0", "bn1"]},
    "links": [{"kind": "pcie", "bandwidth": "31.5 GB/s", "between": [["a0", "as"], ["a1", "at"], ["an0", "as"], ["an1", "at"],
                ["as", "ac"], ["at", "ac"], ["b0", "bs"], ["b1", "bt"], ["bn0", "bs"], ["bn1", "bt"], ["bs", "bc"], ["bt", "bc"]]},
              {"kind": "ib", "bandwidth": "100 Gb/s", "between": [["an0", "l0"], ["bn0", "l0"], ["an1", "l1"], ["bn1", "l1"]]}]})",
                                       "t.json");
  const Route along = route_between(*topology, 0, 2, Routing::spray);
  CHECK_FALSE(along.crosses_cpu);
  const Route across = route_between(*topology, 0, 3, Routing::spray);
  CHECK(across.crosses_cpu);  // without NVLink over PCIe to the other NIC
  tests::check_unit_flow(*topology, GpuId(0), GpuId(3), across);
}

}  // namespace
}  // namespace dsim
