// The insides of the shipped machines.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "route_checks.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

using tests::route_between;

std::vector<std::size_t> affinity(const Topology& topology) {
  std::vector<std::size_t> nics;
  for (std::size_t g = 0; g < topology.gpus_per_node(); ++g)
    for (const std::size_t nic : topology.nics_of(GpuId(g))) nics.push_back(nic);
  return nics;
}

/// NVLinks of 25 GB/s at each GPU of the first node.
std::map<VertexId, double> nvlinks(const Topology& topology) {
  std::map<VertexId, double> links;
  for (std::size_t l = 0; l < topology.link_count(); ++l) {
    const Link link = topology.link(LinkId(l));
    if (link.kind == LinkKind::nvlink && topology.vertex_kind(link.from) == VertexKind::gpu)
      links[link.from] += link.bandwidth.bytes_per_second / 25e9;
  }
  return links;
}

TEST_CASE("every GPU of a DGX-1 has six NVLinks to four others") {
  const auto topology = load_topology("dgx1-v100x1.json");
  const auto links = nvlinks(*topology);
  REQUIRE(links.size() == 8);
  for (const auto& [gpu, count] : links) CHECK(count == 6);
  for (int from = 0; from < 8; ++from) {
    int neighbours = 0;
    for (int to = 0; to < 8; ++to)
      if (from != to)
        neighbours += route_between(*topology, from, to, Routing::spray).links.size() == 1;
    CHECK(neighbours == 4);
  }
}

TEST_CASE("GPUs of a DGX-1 that are not joined go through one other GPU, never over PCIe") {
  const auto topology = load_topology("dgx1-v100x1.json");
  CHECK(topology->nvlink_inside_node());
  CHECK_FALSE(topology->has_nvswitch());
  for (int from = 0; from < 8; ++from)
    for (int to = 0; to < 8; ++to) {
      if (from == to) continue;
      const Route route = route_between(*topology, from, to, Routing::spray);
      CHECK(route.links.size() <= 2);
      for (const LinkShare& part : route.links)
        CHECK(topology->link(part.link).kind == LinkKind::nvlink);
    }
}

TEST_CASE("six, twelve and eighteen NVLinks of 25 GB/s reach each V100, A100 and H100") {
  for (const auto& [file, count] :
       {std::pair("dgx1-v100x1", 6), std::pair("dgx-a100x1", 12), std::pair("dgx-h100x1", 18)})
    for (const auto& [gpu, links] : nvlinks(*load_topology(file))) CHECK(links == count);
}

TEST_CASE("GPUs use the NICs under their own PCIe switch, in order") {
  using Nics = std::vector<std::size_t>;
  CHECK(affinity(*load_topology("dgx1-v100x1")) == Nics{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(affinity(*load_topology("dgx-a100x1")) == Nics{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(affinity(*load_topology("dgx-h100x1")) == Nics{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(affinity(*load_topology("pcie-l40sx1")) == Nics{0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("GPUs without NVLink meet at a CPU, and cross the sockets to the other half") {
  const auto topology = load_topology("pcie-l40sx1.json");
  CHECK_FALSE(topology->nvlink_inside_node());
  const Route near = route_between(*topology, 0, 3, Routing::spray);
  CHECK(near.links.size() == 2);
  CHECK(near.crosses_cpu);
  const Route far = route_between(*topology, 0, 4, Routing::spray);
  CHECK(far.links.size() == 3);
  CHECK(topology->link(far.links[1].link).kind == LinkKind::socket);
}

TEST_CASE("fewer NICs than slots are spread over the node, and more per GPU are shared out") {
  const auto parse = [](const std::string& nics) {
    return parse_topology(R"({"format": "dsim.topology/1", "node": "dgx-h100", "nodes": 2,
      "nics": )" + nics + R"(, "fabric": {"kind": "rail_optimised"}})",
                          "t.json");
  };
  const auto four = parse(R"({"count": 4, "kind": "roce", "bandwidth": "200 Gb/s"})");
  CHECK(affinity(*four) == std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(four->nics_per_node() == 4);
  CHECK(four->description() == "2 × DGX H100 (8 × NVLink4, 4 × 200 Gb/s), rail-optimised fat tree");
  const Route route = route_between(*four, 0, 8, Routing::spray);
  tests::check_unit_flow(*four, GpuId(0), GpuId(8), route);

  const auto many = parse_topology(
      R"({"format": "dsim.topology/1", "nodes": 2, "fabric": {"kind": "single_switch"},
    "node": {"format": "dsim.node/1", "title": "box", "gpu": "h100-sxm", "cpu": "arm",
      "vertices": {"gpu": 2, "pcie_switch": 2, "cpu": 1, "nic": 4}, "nic": {"kind": "efa", "bandwidth": "100 Gb/s"},
      "links": [{"kind": "pcie", "bandwidth": "63 GB/s", "between": [["gpu0", "pcie_switch0"], ["gpu1", "pcie_switch1"],
        ["nic0", "pcie_switch0"], ["nic1", "pcie_switch0"], ["nic2", "pcie_switch1"], ["nic3", "pcie_switch1"],
        ["pcie_switch0", "cpu0"], ["pcie_switch1", "cpu0"]]}]}})",
      "t.json");
  CHECK(many->nics_of(GpuId(0)) == std::vector<std::size_t>{0, 1});
  CHECK(many->nics_of(GpuId(1)) == std::vector<std::size_t>{2, 3});
  // EFA stripes over the NICs of a GPU.
  const Route striped = route_between(*many, 0, 2, Routing::spray);
  tests::check_unit_flow(*many, GpuId(0), GpuId(2), striped);
  for (const LinkShare& part : striped.links) CHECK(part.share == .5);
}

TEST_CASE("a V100 reaches another rail through the joined GPU at that rail's NIC") {
  const auto topology = load_topology("dgx8x64-v100.json");
  // From GPU 0 to GPU 5 of the next node: NIC 2 belongs to GPUs 4 and 5; 4 is joined, 5 is not.
  const Route route = route_between(*topology, 0, 8 + 5, Routing::rail_aligned);
  CHECK(route.switch_hops == 1);
  CHECK(topology->link(route.links[0].link).to == topology->gpu_vertex(GpuId(4)));
}

TEST_CASE("the first GPUs of a cluster are whole nodes or a part of one") {
  const auto all = load_topology("dgx8x64.json");
  const auto two = first_gpus(all, 16);
  CHECK(two->gpu_count() == 16);
  CHECK(two->node_count() == 2);
  CHECK(two->gpus_per_node() == 8);
  CHECK(two->link_count() == all->link_count());
  CHECK(two->description() ==
        "2 of 64 × DGX H100 (8 × NVLink4, 8 × 400 Gb/s), rail-optimised fat tree");
  const auto half = first_gpus(all, 4);
  CHECK(half->gpu_count() == 4);
  CHECK(half->node_count() == 1);
  CHECK(half->gpus_per_node() == 4);
  CHECK(half->nvlink_inside_node());
  CHECK(first_gpus(all, 512) == all);
  CHECK(first_gpus(two, 8)->node_count() == 1);
  CHECK(first_gpus(all, 1)->gpu_count() == 1);
  CHECK_THROWS_WITH(first_gpus(all, 1024),
                    "error: 1024 GPUs asked for, but dgx8x64 has 512 (64 nodes of 8)");
  CHECK_THROWS_WITH(first_gpus(two, 17),
                    "error: 17 GPUs asked for, but dgx8x64 has 16 (2 nodes of 8)");
  CHECK_THROWS_WITH(first_gpus(all, 12),
                    "error: 12 GPUs are not whole nodes of dgx8x64 (try 8 or 16)");
  CHECK_THROWS_AS(first_gpus(all, 0), InputError);
}

}  // namespace
}  // namespace dsim
