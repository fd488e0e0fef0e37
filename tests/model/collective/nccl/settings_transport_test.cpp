// NCCL's variables that change the way bytes take.
#include <catch2/catch.hpp>

#include "model/collective/nccl/settings.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

std::shared_ptr<const Topology> under(const char* topology, std::vector<std::string> pairs) {
  return apply_transport(load_topology(topology), parse_nccl_settings(pairs, {}));
}

Route route(const Topology& t, int from, int to) {
  Route r;
  t.route(GpuId(from), GpuId(to), t.default_routing(), {}, r);
  return r;
}

TEST_CASE("without settings the machine is used as it is") {
  const auto t = load_topology("dgx-h100x2");
  CHECK(apply_transport(t, {}) == t);
}

TEST_CASE("P2P, its level and GPUDirect follow NCCL's variables") {
  CHECK(route(*under("dgx-h100x2", {"NCCL_P2P_DISABLE=1"}), 0, 1).staged);
  CHECK_FALSE(route(*under("dgx-h100x2", {"NCCL_P2P_DISABLE=0"}), 0, 1).staged);
  CHECK(route(*under("pcie-a100x1", {"NCCL_P2P_LEVEL=PXB"}), 0, 1).staged);
  CHECK_FALSE(route(*under("pcie-a100x1", {"NCCL_P2P_LEVEL=SYS"}), 0, 3).staged);
  CHECK(route(*under("dgx-h100x2", {"NCCL_NET_GDR_LEVEL=LOC"}), 0, 8).staged);
  CHECK(route(*under("ndv2x2", {}), 0, 8).staged);
  CHECK_FALSE(route(*under("ndv2x2", {"NCCL_NET_GDR_LEVEL=SYS"}), 0, 8).staged);
}

TEST_CASE("a NIC list leaves those NICs") {
  const auto t = under("dgx-h100x2", {"NCCL_IB_HCA=mlx5_1,mlx5_6"});
  CHECK(t->nics_of_node(0) == std::vector<std::size_t>{1, 6});
}

TEST_CASE("NCCL_IB_DISABLE brings sockets, whose threads add up; EFA is no InfiniBand") {
  const auto t = under("dgx-h100x2", {"NCCL_IB_DISABLE=1"});
  CHECK(t->nic_kind() == LinkKind::tcp);
  const auto more = under(
      "dgx-h100x2", {"NCCL_IB_DISABLE=1", "NCCL_SOCKET_NTHREADS=2", "NCCL_NSOCKS_PERTHREAD=4"});
  CHECK(route(*more, 0, 8).connection_limit.bytes_per_second ==
        Approx(8 * route(*t, 0, 8).connection_limit.bytes_per_second));
  CHECK(under("p4dx2", {"NCCL_IB_DISABLE=1"})->nic_kind() == LinkKind::efa);
}

}  // namespace
}  // namespace dsim
