// What NCCL knows of a machine: path classes, counts of NVLinks, generations of PCIe.
#include "sim/network/path_class.h"

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/network/topology.h"

namespace dsim {
namespace {

PathClass between(const Topology& t, int from, int to) {
  return t.path_class(GpuId(from), GpuId(to));
}

TEST_CASE("path classes have NCCL's names and its order") {
  for (std::size_t i = 0; i < path_class_count; ++i) {
    const auto c = static_cast<PathClass>(i);
    CHECK(path_class_named(name_of(c)) == c);
  }
  CHECK(path_class_named("PXB") == PathClass::pxb);
  CHECK_FALSE(path_class_named("pcie").has_value());
  CHECK(PathClass::nvl < PathClass::nvb);
  CHECK(PathClass::pxb < PathClass::p2c);
  CHECK(PathClass::pxn < PathClass::phb);
}

TEST_CASE("a nominal rate names the PCIe link") {
  const auto is = [](double gigabytes, int generation, int width) {
    const PcieLink link = pcie_link(Bandwidth{gigabytes * 1e9});
    INFO(gigabytes);
    CHECK(link.generation == generation);
    CHECK(link.width == width);
  };
  is(4, 1, 16);
  is(8, 2, 16);
  is(15.75, 3, 16);
  is(31.5, 4, 16);
  is(63, 5, 16);
  is(121, 6, 16);
  is(0.01, 0, 0);
}

TEST_CASE("GPUs of a DGX-1 are joined by one or two NVLinks or through one GPU") {
  const auto t = load_topology("dgx1-v100x1");
  CHECK(between(*t, 0, 0) == PathClass::loc);
  CHECK(between(*t, 0, 3) == PathClass::nvl);
  CHECK(between(*t, 0, 5) == PathClass::nvb);
  CHECK(t->nvlink_count(GpuId(0), GpuId(3)) == 2);
  CHECK(t->nvlink_count(GpuId(0), GpuId(1)) == 1);
  CHECK(t->nvlink_count(GpuId(0), GpuId(5)) == 0);
  CHECK(t->nvswitch_links(GpuId(0)) == 0);
  CHECK(t->nic_path_class(GpuId(0), 0) == PathClass::pix);
  CHECK(t->nic_path_class(GpuId(0), 1) == PathClass::phb);
  CHECK(t->nic_path_class(GpuId(0), 3) == PathClass::sys);
  CHECK(t->nic_kind() == LinkKind::ib);
  CHECK(t->nic_bandwidth() == Bandwidth{12.5e9});
}

TEST_CASE("GPUs of an HGX board have their NVLinks at the NVSwitch") {
  const auto t = load_topology("dgx-h100x2");
  CHECK(between(*t, 0, 7) == PathClass::nvl);
  CHECK(between(*t, 0, 8) == PathClass::net);
  CHECK(t->nvswitch_links(GpuId(9)) == 18);
  CHECK(t->nvlink_count(GpuId(0), GpuId(1)) == 0);
  CHECK(t->nics_of_node(1).size() == 8);
  CHECK(load_topology("dgx-a100x1")->nvswitch_links(GpuId(0)) == 12);
}

TEST_CASE("a box without NVLink knows root ports and sockets") {
  const auto t = load_topology("pcie-l40sx1");
  CHECK(between(*t, 0, 1) == PathClass::phb);
  CHECK(between(*t, 0, 4) == PathClass::sys);
  CHECK(t->nic_path_class(GpuId(0), 0) == PathClass::phb);
}

TEST_CASE("switches below switches, Grace, and machines without peer-to-peer") {
  const auto t = parse_topology(R"({"format": "dsim.topology/1", "nodes": 1, "node": {
    "format": "dsim.node/1", "title": "t", "gpu": "gh200", "cpu": "arm", "p2p": "pix",
    "vertices": {"gpu": 4, "pcie_switch": 3, "cpu": 2, "nic": 2},
    "nic": {"kind": "ib", "bandwidth": "200 Gb/s"},
    "links": [
      {"kind": "c2c", "bandwidth": "450 GB/s", "between": [["gpu3", "cpu1"]]},
      {"kind": "socket", "bandwidth": "100 GB/s", "between": [["cpu0", "cpu1"]]},
      {"kind": "pcie", "bandwidth": "31.5 GB/s",
       "between": [["gpu0", "pcie_switch0"], ["gpu1", "pcie_switch0"], ["gpu2", "pcie_switch1"],
                   ["pcie_switch0", "pcie_switch2"], ["pcie_switch1", "pcie_switch2"],
                   ["nic0", "pcie_switch2"], ["pcie_switch2", "cpu0"], ["nic1", "cpu1"]]}]}})",
                                "t.json");
  CHECK(between(*t, 0, 1) == PathClass::pix);
  CHECK(t->nic_path_class(GpuId(0), 0) == PathClass::pxb);
  CHECK(t->nic_path_class(GpuId(3), 1) == PathClass::p2c);
  CHECK(t->nic_path_class(GpuId(3), 0) == PathClass::sys);
  Route route;
  // Beyond one switch this machine copies through host memory: up to the CPU and down again.
  t->route(GpuId(0), GpuId(2), Routing::spray, {}, route);
  CHECK(route.staged);
  CHECK(route.crosses_cpu);
  CHECK(route.links.size() == 6);
  CHECK(between(*t, 0, 2) == PathClass::phb);
  t->route(GpuId(0), GpuId(1), Routing::spray, {}, route);
  CHECK_FALSE(route.staged);
}

TEST_CASE("a GPU model is refused where the file names it") {
  const auto t = parse_topology(
      "{\"format\": \"dsim.topology/1\", \"node\": \"dgx-h100\", \"nodes\": 1,\n \"gpu\": \"h10\"}",
      "pod.json");
  try {
    t->refuse_gpu("unknown");
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.position().file == "pod.json");
    CHECK(error.position().line == 2);
    CHECK(error.position().column == 9);
  }
}

}  // namespace
}  // namespace dsim
