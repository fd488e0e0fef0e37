// Slow and broken links, lost NICs, by the names that dsim topo shows.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "route_checks.h"
#include "sim/base/error.h"
#include "sim/network/topology_summary.h"

namespace dsim {
namespace {

using tests::route_between;

std::shared_ptr<const Topology> with_faults(
    const std::string& faults, const std::string& node = "dgx-h100",
    const std::string& fabric = R"({"kind": "rail_optimised"})") {
  return parse_topology(
      fmt::format(R"({{"format": "dsim.topology/1", "node": "{}", "nodes": 4, "fabric": {},
 "faults": [{}]}})",
                  node, fabric, faults),
      "pod.json");
}

double slowest(const Topology& t, int from, int to) {
  double least = 1e300;
  for (const LinkShare& part : route_between(t, from, to, t.default_routing()).links)
    least = std::min(least, t.link(part.link).bandwidth.bytes_per_second / part.share);
  return least * 1e-9;
}

void check_all_routes(const Topology& t) {
  for (std::size_t a = 0; a < t.gpu_count(); ++a)
    for (std::size_t b = 0; b < t.gpu_count(); ++b)
      if (a != b)
        tests::check_unit_flow(
            t, GpuId(a), GpuId(b),
            route_between(t, static_cast<int>(a), static_cast<int>(b), t.default_routing()));
}

std::string error_of(const std::string& faults) {
  try {
    with_faults(faults);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("one slow NVLink slows its GPU in both directions and no other") {
  const auto t =
      with_faults(R"({"link": ["node3.gpu5", "node3.nvswitch0"], "bandwidth_factor": 0.25})");
  CHECK(slowest(*t, 29, 24) == Approx(112.5));
  CHECK(slowest(*t, 24, 29) == Approx(112.5));
  CHECK(slowest(*t, 24, 28) == Approx(450));
  CHECK(slowest(*t, 5, 0) == Approx(450));
  CHECK(t->description().find("1 fault") != std::string::npos);
}

TEST_CASE("a lost NIC leaves the others to its GPU") {
  const auto t = with_faults(R"({"nic": "node1.nic2", "down": true})");
  check_all_routes(*t);
  CHECK(t->nics_of_node(1).size() == 7);
  CHECK(t->nics_of_node(0).size() == 8);
  for (const std::size_t nic : t->nics_of(GpuId(10))) CHECK(nic != 2);
  CHECK(t->nics_of(GpuId(2)) == std::vector<std::size_t>{2});
  // Half of the nodes send over 15 NICs of 50 GB/s.
  CHECK(bisection_bandwidth(*t).bytes_per_second * 1e-9 == Approx(15 * 50));
}

TEST_CASE("on rails alone a broken rail is left for one both ends have") {
  const auto t =
      with_faults(R"({"nic": "node1.nic2", "down": true})", "dgx-h100", R"({"kind": "ring"})");
  check_all_routes(*t);
}

TEST_CASE("a GPU without its NVLinks talks over PCIe, the others as before") {
  const auto t = with_faults(R"({"gpu": "node0.gpu1", "down": true})");
  check_all_routes(*t);
  CHECK(t->nvswitch_links(GpuId(1)) == 0);
  CHECK(t->nvswitch_links(GpuId(9)) == 18);
  CHECK(t->path_class(GpuId(0), GpuId(1)) == PathClass::phb);
  CHECK(t->path_class(GpuId(0), GpuId(2)) == PathClass::nvl);
  CHECK_FALSE(t->nvlink_inside_node());
}

TEST_CASE("a missing NVLink of a mesh sends the pair round by another GPU") {
  const auto t =
      with_faults(R"({"link": ["node0.gpu0", "node0.gpu1"], "down": true})", "dgx1-v100");
  check_all_routes(*t);
  CHECK(t->path_class(GpuId(0), GpuId(1)) == PathClass::nvb);
  CHECK(t->path_class(GpuId(8), GpuId(9)) == PathClass::nvl);
}

TEST_CASE("slow NICs, GPUs and uplinks") {
  CHECK(slowest(*with_faults(R"({"nic": "node2.nic0", "bandwidth_factor": 0.5})"), 0, 16) ==
        Approx(25));
  CHECK(slowest(*with_faults(R"({"gpu": "node2.gpu0", "bandwidth_factor": 0.1})"), 16, 17) ==
        Approx(45));
  const auto up = with_faults(R"({"link": ["leaf0", "spine0"], "bandwidth_factor": 0.5})",
                              "dgx-a100-80", R"({"kind": "fat_tree", "nodes_per_leaf": 2})");
  check_all_routes(*up);
  CHECK(bisection_bandwidth(*up) <
        bisection_bandwidth(*with_faults(R"({"nic": "node0.nic0", "bandwidth_factor": 1})",
                                         "dgx-a100-80",
                                         R"({"kind": "fat_tree", "nodes_per_leaf": 2})")));
}

TEST_CASE("mistakes in faults are pointed at") {
  CHECK(error_of(R"({"nic": "node1.nic22", "down": true})").find("did you mean 'node1.nic2'?") !=
        std::string::npos);
  CHECK(error_of(R"({"nic": "node9.nic2", "down": true})").find("unknown vertex") !=
        std::string::npos);
  CHECK(error_of(R"({"nic": "node1.gpu2", "down": true})").find("is a gpu, not a nic") !=
        std::string::npos);
  CHECK(error_of(R"({"link": ["node0.gpu0", "node0.gpu1"], "down": true})").find("no link joins") !=
        std::string::npos);
  CHECK(error_of(R"({"link": ["leaf0", "spine0"], "down": true})").find("cannot be taken away") !=
        std::string::npos);
  CHECK(error_of(R"({"nic": "node1.nic2"})").find("either \"bandwidth_factor\" or") !=
        std::string::npos);
  CHECK(error_of(R"({"nic": "node1.nic2", "bandwidth_factor": 0})").find("1e-6 to 1") !=
        std::string::npos);
  CHECK(error_of(R"({"down": true})").find("one of") != std::string::npos);
}

}  // namespace
}  // namespace dsim
