// The machines of clouds and computing centres: NICs by GPU, path classes, what copies through the
// host; and the table that lists them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "route_checks.h"
#include "sim/base/data_files.h"
#include "sim/network/topology.h"

namespace dsim {
namespace {

using tests::route_between;

std::shared_ptr<const Topology> machine(const std::string& node) {
  return parse_topology(R"({"format": "dsim.topology/1", "nodes": 1, "node": ")" + node + R"("})",
                        "t.json");
}

TEST_CASE("NICs are shared out as the clouds do") {
  using Nics = std::vector<std::size_t>;
  CHECK(machine("p5")->nics_of(GpuId(3)) == Nics{12, 13, 14, 15});
  CHECK(machine("p5en")->nics_of(GpuId(3)) == Nics{6, 7});
  CHECK(machine("oci-h100")->nics_of(GpuId(7)) == Nics{14, 15});
  CHECK(machine("oci-b4")->nics_of(GpuId(1)) == Nics{2, 3});
  CHECK(machine("a3-mega")->nics_of(GpuId(5)) == Nics{5});
  for (int g = 0; g < 8; ++g) {
    CHECK(machine("p4d")->nics_of(GpuId(g)) == Nics{static_cast<std::size_t>(g / 2)});
    CHECK(machine("ndv2")->nics_of(GpuId(g)) == Nics{0});
  }
  // A NIC at each odd die; the others reach them through the CPU and share them.
  CHECK(machine("mi250x")->nics_of(GpuId(3)) == Nics{1});
  CHECK(machine("mi250x")->nics_of(GpuId(4)) == Nics{2});
}

TEST_CASE("an NVL72 is one node of 72 GPUs, whose trays share nothing but NVLink") {
  const auto t = load_topology("gb200-nvl72x8");
  CHECK(t->gpus_per_node() == 72);
  CHECK(t->node_count() == 8);
  CHECK(t->nics_per_node() == 72);
  CHECK(t->nvlink_inside_node());
  CHECK(t->has_nvswitch());
  CHECK(t->path_class(GpuId(0), GpuId(71)) == PathClass::nvl);
  CHECK(t->nvswitch_links(GpuId(70)) == 18);
  CHECK(t->nic_path_class(GpuId(5), 5) == PathClass::p2c);
  CHECK(t->nic_path_class(GpuId(5), 3) == PathClass::pxn);
  CHECK(t->nics_of(GpuId(71)) == std::vector<std::size_t>{71});
  for (const auto& [a, b] : {std::pair{0, 75}, std::pair{3, 72 + 68}, std::pair{100, 17}})
    for (const Routing routing : {Routing::rail_aligned, Routing::spray, Routing::hash}) {
      const Route route = route_between(*t, a, b, routing);
      tests::check_unit_flow(*t, GpuId(a), GpuId(b), route);
      CHECK_FALSE(route.staged);
    }
}

TEST_CASE("meshes have their links") {
  CHECK(machine("gh200-x4")->nvlink_count(GpuId(0), GpuId(3)) == 6);
  CHECK(machine("kestrel")->nvlink_count(GpuId(1), GpuId(2)) == 6);
  CHECK(machine("mi250x")->nvlink_count(GpuId(0), GpuId(1)) == 4);
  CHECK(machine("mi250x")->nvlink_count(GpuId(0), GpuId(6)) == 2);
  CHECK(machine("mi300x")->nvlink_count(GpuId(0), GpuId(7)) == 1);
  CHECK(machine("mi300x")->nvlink_inside_node());
  CHECK(machine("pcie-h100-nvl")->nvlink_count(GpuId(0), GpuId(1)) == 12);
  CHECK(machine("ncv4")->path_class(GpuId(0), GpuId(1)) == PathClass::nvl);
  CHECK(machine("ncv4")->path_class(GpuId(1), GpuId(2)) == PathClass::sys);
  CHECK(machine("dgx2")->nvswitch_links(GpuId(15)) == 6);
  CHECK(machine("hgx-h800")->nvswitch_links(GpuId(0)) == 8);
}

TEST_CASE("cards without peer-to-peer copy through host memory") {
  for (const char* node : {"pcie-4090", "pcie-2080ti", "ws-2", "ws-4"}) {
    INFO(node);
    const Route route = route_between(*machine(node), 0, 1, Routing::spray);
    CHECK(route.staged);
    CHECK(route.crosses_cpu);
  }
  CHECK_FALSE(route_between(*machine("pcie-a100"), 0, 1, Routing::spray).staged);
}

TEST_CASE("NICs that cannot read GPU memory are fed through the host") {
  for (const char* name : {"p3dnx2", "g4dn-metalx2", "dgx-sparkx2"}) {
    INFO(name);
    const auto t = load_topology(name);
    CHECK(route_between(*t, 0, static_cast<int>(t->gpus_per_node()), Routing::spray).staged);
  }
}

TEST_CASE("the README of the topologies names every file") {
  const std::filesystem::path folder = data_directory() / "topologies";
  std::stringstream text;
  text << std::ifstream(folder / "README.md").rdbuf();
  REQUIRE(text.str().size() > 1000);
  for (const auto& place : {folder, folder / "nodes"})
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      if (entry.path().extension() != ".json") continue;
      INFO(entry.path());
      CHECK(text.str().find("`" + entry.path().stem().string() + "`") != std::string::npos);
    }
}

}  // namespace
}  // namespace dsim
