// Properties of routes on every shipped topology.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "route_checks.h"
#include "sim/base/data_files.h"
#include "sim/network/cluster_topology.h"

namespace dsim {
namespace {

using tests::check_unit_flow;
using tests::route_between;

std::vector<std::filesystem::path> shipped_topologies() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(data_directory() / "topologies"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::size_t count_kind(const Topology& topology, const Route& route, VertexKind kind) {
  std::size_t count = 0;
  for (const LinkShare& part : route.links)
    count += topology.vertex_kind(topology.link(part.link).to) == kind;
  return count;
}

namespace {

double striped(const Topology& topology, GpuId gpu) {
  const auto& type = dynamic_cast<const ClusterTopology&>(topology).node_type(0);
  const bool stripes = type.nic_spec.kind == LinkKind::efa || type.nic_spec.ports > 1;
  return stripes ? static_cast<double>(topology.nics_of(gpu).size()) : 1;
}

}  // namespace

TEST_CASE("every shipped topology loads and its routes are unit flows from GPU to GPU") {
  const auto files = shipped_topologies();
  REQUIRE(files.size() >= 12);
  for (const auto& file : files) {
    const auto topology = load_topology(file);
    const unsigned seed = 20240613;
    INFO(file.string() << " seed " << seed);
    std::mt19937 random(seed);
    const auto gpus = static_cast<int>(topology->gpu_count());
    REQUIRE(gpus >= 1);
    std::uniform_int_distribution<int> any(0, gpus - 1);
    Route route, back;
    for (int trial = 0; gpus > 1 && trial < 60; ++trial) {
      const GpuId from(any(random)), to(any(random));
      if (from == to) continue;
      const RouteKey key{static_cast<std::uint32_t>(random() % 5), random()};
      for (const Routing routing : {Routing::rail_aligned, Routing::spray, Routing::hash}) {
        INFO("gpu " << from.value << " to gpu " << to.value << " by " << name_of(routing));
        topology->route(from, to, routing, key, route);
        topology->route(to, from, routing, key, back);
        check_unit_flow(*topology, from, to, route);
        CHECK(route.switch_hops == tests::switches_entered(*topology, route));
        CHECK(route.latency.seconds() == Approx(tests::latency_by_links(*topology, route)));
        CHECK(route.leaves_node == (topology->node_of(from) != topology->node_of(to)));
        CHECK(route.crosses_cpu == (count_kind(*topology, route, VertexKind::cpu) > 0));
        if (routing != Routing::rail_aligned || !route.leaves_node) {
          CHECK(back.latency == route.latency);
          CHECK(back.links.size() == route.links.size());
        }
        CHECK(back.switch_hops == route.switch_hops);
        // One way, except over the NICs that are striped: those of a GPU with EFA, ports of an adapter.
        const double rails = route.leaves_node ? striped(*topology, from) : 1;
        if (routing == Routing::hash)
          for (const LinkShare& part : route.links) CHECK(part.share == Approx(1 / rails));
      }
    }
  }
}

TEST_CASE("ids of vertices and links agree with each other on every shipped topology") {
  for (const auto& file : shipped_topologies()) {
    const auto topology = load_topology(file);
    INFO(file.string());
    const std::size_t vertices = topology->vertex_count(), links = topology->link_count();
    std::map<std::pair<VertexId, VertexId>, int> cables;
    for (std::size_t l = 0; l < links; ++l) {
      const Link link = topology->link(LinkId(l));
      REQUIRE(link.from.index() < vertices);
      REQUIRE(link.to.index() < vertices);
      REQUIRE(link.bandwidth.bytes_per_second > 0);
      ++cables[{link.from, link.to}];
    }
    for (const auto& [ends, count] : cables) {
      const auto back = cables.find({ends.second, ends.first});
      REQUIRE(back != cables.end());
      REQUIRE(count == back->second);
    }
    for (std::size_t g = 0; g < topology->gpu_count(); ++g) {
      REQUIRE(topology->vertex_kind(topology->gpu_vertex(GpuId(g))) == VertexKind::gpu);
      REQUIRE(topology->local_index(GpuId(g)) < topology->gpus_per_node());
      REQUIRE(topology->node_of(GpuId(g)) < topology->node_count());
    }
  }
}

TEST_CASE("dgx8x64 is 64 DGX H100 on rails") {
  const auto topology = load_topology("dgx8x64.json");
  CHECK(topology->name() == "dgx8x64");
  CHECK(topology->description() ==
        "64 × DGX H100 (8 × NVLink4, 8 × 400 Gb/s), rail-optimised fat tree");
  CHECK(topology->gpu_model() == "h100-sxm");
  CHECK(topology->cpu_vendor() == "intel");
  CHECK(topology->node_count() == 64);
  CHECK(topology->gpus_per_node() == 8);
  CHECK(topology->gpu_count() == 512);
  CHECK(topology->nics_per_node() == 8);
  CHECK(topology->nvlink_inside_node());
  CHECK(topology->has_nvswitch());
  CHECK(topology->default_routing() == Routing::rail_aligned);
  // 64 nodes of 8 GPUs, 1 NVSwitch, 8 PCIe switches, 2 CPUs, 8 NICs; 2 units of 8 leaves, 8 spines.
  CHECK(topology->vertex_count() == 64 * 27 + 16 + 8);
  // A node: 8 + 8 + 8 + 8 + 1 cables; a port each NIC; 32 cables above each leaf; two links a
  // cable.
  CHECK(topology->link_count() == 2 * (64 * 33 + 512 + 16 * 32));
  CHECK(topology->vertex_name(topology->gpu_vertex(GpuId(3 * 8 + 5))) == "node3.gpu5");
  CHECK(topology->vertex_name(VertexId(64 * 27 + 2)) == "leaf2");
}

TEST_CASE("one rail of one scalable unit is one switch away, another unit three") {
  const auto topology = load_topology("dgx8x64.json");
  using namespace dsim::literals;
  const Route near = route_between(*topology, 3, 8 + 3, Routing::rail_aligned);
  CHECK(near.switch_hops == 1);
  CHECK(near.links.size() == 6);  // GPU, PCIe switch, NIC, leaf and down again
  CHECK_FALSE(near.crosses_cpu);
  // 2 x (0.65 + 0.2) in the nodes, 1 us of the NICs, 0.15 us of the switch
  CHECK(near.latency == 2'850_ns);
  const Route far = route_between(*topology, 3, 32 * 8 + 3, Routing::rail_aligned);
  CHECK(far.switch_hops == 3);
  CHECK(far.latency == 3'150_ns);
  CHECK(far.links.size() == 6 + 32 + 32);
  for (const LinkShare& part : far.links) {
    const Link link = topology->link(part.link);
    const bool trunk = topology->vertex_kind(link.from) == VertexKind::spine ||
                       topology->vertex_kind(link.to) == VertexKind::spine;
    CHECK(part.share == (trunk ? 1.0 / 32 : 1.0));
  }
}

TEST_CASE("another rail is reached over NVLink first, or over the spines without PXN") {
  const auto topology = load_topology("dgx8x64.json");
  const Route aligned = route_between(*topology, 3, 8 + 5, Routing::rail_aligned);
  CHECK(aligned.switch_hops == 1);
  REQUIRE(aligned.links.size() == 8);
  CHECK(topology->link(aligned.links[0].link).kind == LinkKind::nvlink);
  CHECK(topology->link(aligned.links[1].link).to == topology->gpu_vertex(GpuId(5)));
  const Route sprayed = route_between(*topology, 3, 8 + 5, Routing::spray);
  CHECK(sprayed.switch_hops == 3);
  CHECK(topology->link(sprayed.links[0].link).kind == LinkKind::pcie);
  const Route hashed = route_between(*topology, 3, 8 + 5, Routing::hash);
  CHECK(hashed.switch_hops == 3);
  CHECK(hashed.links.size() == 8);
}

TEST_CASE("hash takes every cable about equally often over many flows") {
  const auto topology = load_topology("dgx8x64.json");
  std::map<LinkId, int> used;
  const int flows = 6400;
  for (int f = 0; f < flows; ++f) {
    const Route route =
        route_between(*topology, 0, 256, Routing::hash, {0, static_cast<std::uint64_t>(f)});
    for (const LinkShare& part : route.links) ++used[part.link];
  }
  int cables = 0;
  for (const auto& [link, count] : used) {
    if (count == flows) continue;
    ++cables;
    CHECK(count > flows / 32 / 2);  // 200 expected, 14 standard deviation
    CHECK(count < flows / 32 * 3 / 2);
  }
  CHECK(cables == 64);
}

}  // namespace
}  // namespace dsim
