// The same machine without P2P, NVLink or GPUDirect, over fewer NICs, over sockets.
#include "sim/network/transport.h"

#include <catch2/catch.hpp>

#include "route_checks.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

using tests::route_between;
using namespace dsim::literals;

int crossings(const Topology& topology, const Route& route, LinkKind kind) {
  int count = 0;
  for (const LinkShare& part : route.links) count += topology.link(part.link).kind == kind;
  return count;
}

void check_all_routes(const Topology& t) {
  for (std::size_t a = 0; a < t.gpu_count(); ++a)
    for (std::size_t b = 0; b < t.gpu_count(); ++b) {
      if (a == b) continue;
      const Route r =
          route_between(t, static_cast<int>(a), static_cast<int>(b), t.default_routing());
      tests::check_unit_flow(t, GpuId(a), GpuId(b), r);
    }
}

TEST_CASE("a transport that changes nothing is the machine itself") {
  const auto t = load_topology("dgx-h100x2");
  CHECK(with_transport(t, {}) == t);
}

TEST_CASE("without P2P every byte between GPUs goes through a CPU") {
  const auto t = with_transport(load_topology("dgx1-v100x1"), {.p2p_level = PathClass::loc});
  check_all_routes(*t);
  CHECK_FALSE(t->nvlink_inside_node());
  for (int to = 1; to < 8; ++to) {
    const Route route = route_between(*t, 0, to, Routing::spray);
    CHECK(route.staged);
    CHECK(route.crosses_cpu);
    CHECK(crossings(*t, route, LinkKind::nvlink) == 0);
    CHECK(crossings(*t, route, LinkKind::socket) == (to >= 4 ? 1 : 0));
    // Up through the switch to the CPU and down again, even below one switch.
    CHECK(crossings(*t, route, LinkKind::pcie) == 4);
    CHECK(t->path_class(GpuId(0), GpuId(to)) == (to < 4 ? PathClass::phb : PathClass::sys));
  }
}

TEST_CASE("a level of P2P keeps the near pairs") {
  const auto t =
      with_transport(load_topology("dgx1-v100x1"), {.p2p_level = PathClass::pix, .nvlink = false});
  CHECK(t->nvlink_count(GpuId(0), GpuId(1)) == 0);
  CHECK_FALSE(route_between(*t, 0, 1, Routing::spray).staged);
  CHECK(t->path_class(GpuId(0), GpuId(1)) == PathClass::pix);
  CHECK(route_between(*t, 0, 2, Routing::spray).staged);
}

TEST_CASE("without NVLink an HGX board talks over PCIe") {
  const auto t = with_transport(load_topology("dgx-h100x2"), {.nvlink = false});
  CHECK_FALSE(t->has_nvswitch());
  CHECK(t->nvswitch_links(GpuId(3)) == 0);
  check_all_routes(*t);
  CHECK(t->path_class(GpuId(0), GpuId(1)) == PathClass::phb);
  // No GPU to relay to: traffic stays on the sender's own NIC or crosses PCIe.
  CHECK(crossings(*t, route_between(*t, 0, 9, Routing::rail_aligned), LinkKind::nvlink) == 0);
}

TEST_CASE("without GPUDirect every byte crosses PCIe to the CPU and back to the NIC") {
  const auto plain = load_topology("dgx-h100x2");
  const auto t = with_transport(plain, {.gdr_level = PathClass::loc});
  check_all_routes(*t);
  const Route direct = route_between(*plain, 0, 8, Routing::rail_aligned);
  const Route staged = route_between(*t, 0, 8, Routing::rail_aligned);
  CHECK_FALSE(direct.staged);
  CHECK(staged.staged);
  // GPU - switch - NIC at both ends against GPU - switch - CPU - switch - NIC.
  CHECK(crossings(*plain, direct, LinkKind::pcie) == 4);
  CHECK(crossings(*t, staged, LinkKind::pcie) == 8);
  CHECK(t->nics_of(GpuId(3)) == plain->nics_of(GpuId(3)));
  CHECK(t->nic_path_class(GpuId(0), 0) == PathClass::phb);
}

TEST_CASE("GPUDirect is used up to one PCIe switch after another, and on C2C, by default") {
  CHECK(route_between(*load_topology("ndv2x2"), 0, 8, Routing::spray).staged);
  CHECK_FALSE(route_between(*load_topology("gh200-x4x2"), 0, 4, Routing::spray).staged);
  CHECK_FALSE(route_between(*load_topology("p4dx2"), 0, 8, Routing::spray).staged);
  const auto far = with_transport(load_topology("ndv2x2"), {.gdr_level = PathClass::sys});
  CHECK_FALSE(route_between(*far, 0, 8, Routing::spray).staged);
}

TEST_CASE("only the NICs of a list are used") {
  const auto t =
      with_transport(load_topology("dgx-h100x2"), {.nics = std::vector<std::size_t>{2, 5}});
  CHECK(t->nics_of_node(0) == std::vector<std::size_t>{2, 5});
  check_all_routes(*t);
  for (int g = 0; g < 8; ++g)
    for (const std::size_t nic : t->nics_of(GpuId(g))) CHECK((nic == 2 || nic == 5));
  CHECK(t->nics_of(GpuId(2)) == std::vector<std::size_t>{2});
  CHECK_THROWS_AS(
      with_transport(load_topology("dgx-h100x2"), {.nics = std::vector<std::size_t>{8}}),
      InputError);
  CHECK_THROWS_AS(with_transport(load_topology("dgx-h100x2"), {.nics = std::vector<std::size_t>{}}),
                  InputError);
}

TEST_CASE("sockets change the kind and the latency of the network and stage all bytes") {
  const auto plain = load_topology("dgx-h100x2");
  const auto t = with_transport(
      plain, {.sockets = true, .node_limit = Bandwidth{3.3e9}, .connection_limit = Bandwidth{2e9}});
  check_all_routes(*t);
  CHECK(t->nic_kind() == LinkKind::tcp);
  const Route route = route_between(*t, 0, 8, Routing::rail_aligned);
  CHECK(route.staged);
  CHECK(route.connection_limit == Bandwidth{2e9});
  CHECK(crossings(*t, route, LinkKind::ib) == 0);
  // Two cables and a limit at each end.
  CHECK(crossings(*t, route, LinkKind::tcp) == 4);
  CHECK(tests::latency_by_links(*t, route) == Approx(route.latency.seconds()));
  // InfiniBand takes 1 us for both ends, sockets 20 us.
  const Route staged = route_between(*with_transport(plain, {.gdr_level = PathClass::loc}), 0, 8,
                                     Routing::rail_aligned);
  CHECK((route.latency.seconds() - staged.latency.seconds()) * 1e6 == Approx(19));
  // The limit is one link that all GPUs of a node share.
  const Route other = route_between(*t, 5, 13, Routing::rail_aligned);
  int shared = 0;
  for (const LinkShare& a : route.links)
    for (const LinkShare& b : other.links)
      if (a.link == b.link) {
        ++shared;
        CHECK(t->link(a.link).bandwidth == Bandwidth{3.3e9});
      }
  CHECK(shared == 2);
  CHECK(t->link_count() == plain->link_count() + 4);
}

TEST_CASE("a part of a cluster stays a part under another transport") {
  const auto t = with_transport(first_gpus(load_topology("dgx8x64"), 16), {.nvlink = false});
  CHECK(t->gpu_count() == 16);
  CHECK(t->node_count() == 2);
}

TEST_CASE("an NVL72 without NVLink is refused: trays are joined by nothing else") {
  CHECK_THROWS_AS(with_transport(load_topology("gb200-nvl72x1"), {.nvlink = false}), InputError);
}

}  // namespace
}  // namespace dsim
