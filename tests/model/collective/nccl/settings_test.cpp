#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "model/collective/backend.h"
#include "model/collective/data_type.h"
#include "model/collective/nccl/settings.h"
#include "model/collective/protocol.h"
#include "sim/base/error.h"
#include "tests/model/collective/nccl/nccl_machines.h"

using namespace dsim;
using namespace dsim::test;
using Catch::Contains;

namespace {

NcclSettings parse(std::vector<std::string> pairs, NcclVersion version = newest) {
  return parse_nccl_settings(pairs, version);
}

}  // namespace

TEST_CASE("versions of NCCL read as its releases and builds are named", "[nccl]") {
  CHECK(parse_nccl_version("2.18.3") == NcclVersion{2, 18, 3});
  CHECK(parse_nccl_version("2.18") == NcclVersion{2, 18, 0});
  CHECK(parse_nccl_version("2.18.3+cuda12.1") == NcclVersion{2, 18, 3});
  CHECK(parse_nccl_version("2.30.7-1") == NcclVersion{2, 30, 7});
  CHECK(to_string(NcclVersion{2, 7, 8}) == "2.7.8");
  for (const char* wrong : {"", "2", "2.", "2.18.", "2.18.3.1", "two", "2.6.4", "2.31.0", "3.0.0",
                            "-2.18", "2.18 3", "2.99999999999", "+cuda12"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_nccl_version(wrong), InputError);
  }
  CHECK_THROWS_WITH(parse_nccl_version("2.4.8"), Contains("known: 2.7 to 2.30"));
}

TEST_CASE("every setting is read, with or without its prefix", "[nccl]") {
  const NcclSettings s =
      parse({"NCCL_ALGO=Ring,Tree", "PROTO=^LL128", "NCCL_MIN_NCHANNELS=4", "MAX_NCHANNELS=16",
             "MIN_CTAS=1", "MAX_CTAS=32", "CROSS_NIC=1", "PXN_DISABLE=1", "NVLS_ENABLE=0",
             "P2P_DISABLE=1", "P2P_LEVEL=nvl", "NET_GDR_LEVEL=3", "IB_HCA=^=mlx5_0:1,mlx5_2",
             "IB_DISABLE=0", "COLLNET_ENABLE=1", "IB_QPS_PER_CONNECTION=4", "BUFFSIZE=8M",
             "SOCKET_NTHREADS=4", "NSOCKS_PERTHREAD=8"});
  CHECK(s.version == newest);
  CHECK(s.algo == "Ring,Tree");
  CHECK(s.proto == "^LL128");
  CHECK(s.min_channels == 4);
  CHECK(s.max_channels == 16);
  CHECK(s.min_ctas == 1);
  CHECK(s.max_ctas == 32);
  CHECK(s.cross_nic == 1);
  CHECK(s.pxn_disable == true);
  CHECK(s.nvls_enable == false);
  CHECK(s.p2p_disable == true);
  CHECK(s.p2p_level == "NVL");
  CHECK(s.net_gdr_level == "PHB");
  CHECK(s.ib_hca == "^=mlx5_0:1,mlx5_2");
  CHECK(s.ib_disable == false);
  CHECK(s.collnet_enable == true);
  CHECK(s.ib_qps_per_connection == 4);
  CHECK(s.buffer_size == 8 << 20);
  CHECK(s.socket_nthreads == 4);
  CHECK(s.nsocks_perthread == 8);
  CHECK(parse({"BUFFSIZE=4194304"}).buffer_size == 4194304);
  CHECK(parse({"BUFFSIZE=512k"}).buffer_size == 524288);
  CHECK_FALSE(parse({"NVLS_ENABLE=2"}).nvls_enable.has_value());
}

TEST_CASE("a wrong setting is refused, with the nearest name where it is a name", "[nccl]") {
  const auto [pair, says] = GENERATE(
      table<std::string, std::string>({{"NCCL_ALGOS=Ring", "did you mean 'ALGO'"},
                                       {"NVLS_ENABLED=1", "did you mean 'NVLS_ENABLE'"},
                                       {"NCCL_ALGO=Rings", "did you mean 'Ring'"},
                                       {"NCCL_ALGO=Ring,,Tree", "unknown algorithm ''"},
                                       {"NCCL_ALGO=^", "an empty list"},
                                       {"NCCL_PROTO=LL129", "did you mean 'LL128'"},
                                       {"NCCL_ALGO=allreducee:ring", "did you mean 'AllReduce'"},
                                       {"NCCL_ALGO=allreduce:ring;tree", "only the first list"},
                                       {"ALGO", "expected KEY=VALUE"},
                                       {"=Ring", "expected KEY=VALUE"},
                                       {"NCCL_ALGO=", "has no value"},
                                       {"MAX_NCHANNELS=0", "from 1 to 64"},
                                       {"MAX_NCHANNELS=65", "from 1 to 64"},
                                       {"MAX_NCHANNELS=8x", "from 1 to 64"},
                                       {"CROSS_NIC=3", "from 0 to 2"},
                                       {"P2P_DISABLE=yes", "expected 0 or 1"},
                                       {"P2P_LEVEL=PXX", "did you mean 'PIX'"},
                                       {"IB_HCA=^", "NIC names"},
                                       {"IB_HCA=mlx5_0,,mlx5_1", "NIC names"},
                                       {"BUFFSIZE=4T", "bytes from 4096 to 1G"},
                                       {"BUFFSIZE=99999999999G", "bytes from 4096 to 1G"},
                                       {"BUFFSIZE=-4M", "bytes from 4096 to 1G"},
                                       {"SOCKET_NTHREADS=17", "from 1 to 16"}}));
  CAPTURE(pair);
  CHECK_THROWS_AS(parse({pair}), InputError);
  CHECK_THROWS_WITH(parse({pair}), Contains(says));
}

TEST_CASE("settings that contradict each other are refused", "[nccl]") {
  CHECK_THROWS_WITH(parse({"NCCL_ALGO=Ring", "ALGO=Tree"}), Contains("NCCL_ALGO is given twice"));
  CHECK_THROWS_WITH(parse({"MIN_NCHANNELS=8", "MAX_NCHANNELS=4"}), Contains("is more than"));
  CHECK_THROWS_WITH(parse({"SOCKET_NTHREADS=16", "NSOCKS_PERTHREAD=8"}), Contains("64 sockets"));
  CHECK_THROWS_WITH(parse({"ALGO=PAT"}, {2, 18, 3}), Contains("PAT from 2.23 on"));
  CHECK_THROWS_WITH(parse({"ALGO=allreduce:ring"}, {2, 23, 4}), Contains("from 2.24 on"));
}

TEST_CASE("NCCL_ALGO and NCCL_PROTO choose as NCCL reads them", "[nccl]") {
  NcclWorld w = h100(1);
  const auto with = [&](std::vector<std::string> pairs, Bytes size,
                        CollectiveOp op = CollectiveOp::all_reduce) {
    w.settings = parse(std::move(pairs));
    return chosen(w.choose(size, op));
  };
  CHECK(with({"ALGO=ring"}, 1_GiB) == "ring Simple");
  CHECK(with({"ALGO=^NVLS"}, 1_GiB) == "ring Simple");
  CHECK(with({"ALGO=Tree", "PROTO=LL"}, 1_GiB) == "tree LL");
  CHECK(with({"PROTO=simple"}, 8_KiB).ends_with("Simple"));
  CHECK(with({"ALGO=ring;allreduce:tree"}, 1_GiB) == "tree Simple");
  CHECK(with({"ALGO=ring;allreduce:tree"}, 1_GiB, CollectiveOp::all_gather) == "ring Simple");
  CHECK(with({"ALGO=broadcast:ring"}, 1_GiB) == "nvls Simple");
  CHECK(with({"NVLS_ENABLE=0"}, 1_GiB) == "ring Simple");
  // LL128 by name is taken even where it is off by default.
  w.graphs.ring.ll128 = w.graphs.tree.ll128 = false;
  CHECK(with({}, 1_MiB) == "ring LL");
  CHECK(with({"PROTO=LL128", "ALGO=Ring"}, 1_MiB) == "ring LL128");
}

TEST_CASE("where the lists leave nothing NCCL stops, or takes the ring, by version", "[nccl]") {
  NcclWorld w = h100(1);
  w.settings.algo = "tree";
  const auto gather = [&] { return w.choose(1_GiB, CollectiveOp::all_gather); };
  CHECK_THROWS_AS(gather(), InputError);
  CHECK_THROWS_WITH(gather(), Contains("all_gather") && Contains("NCCL_ALGO is tree"));
  w.settings.version = {2, 20, 3};
  CHECK(gather().algorithm == "ring");
  CHECK_THAT(std::string(gather().notice), Contains("ring"));
  w.settings.version = {2, 18, 3};  // the ring is not taken from other operations than all_reduce
  CHECK(gather().algorithm == "ring");
  CHECK(gather().notice.empty());
}

TEST_CASE("data types, protocols and back ends have names and sizes", "[nccl]") {
  CHECK(data_type_by_name("float") == DataType::float32);
  CHECK(data_type_by_name("BF16") == DataType::bfloat16);
  CHECK(data_type_by_name("f8e4m3") == DataType::fp8_e4m3);
  CHECK(size_of(DataType::half) == Bytes{2});
  CHECK(size_of(DataType::float64) == Bytes{8});
  for (int i = 0; i < 12; ++i) {
    const auto type = static_cast<DataType>(i);
    CHECK(data_type_by_name(name_of(type)) == type);
  }
  CHECK_THROWS_WITH(data_type_by_name("flaot"), Contains("did you mean 'float'"));
  CHECK(protocol_by_name("ll128") == Protocol::ll128);
  CHECK(protocol_by_name("SIMPLE") == Protocol::simple);
  CHECK_THROWS_WITH(protocol_by_name("LL12"), Contains("did you mean"));
  CHECK(wire_factor(Protocol::ll) == 2);
  CHECK(wire_factor(Protocol::ll128) == Approx(16.0 / 15));
  CHECK(wire_factor(Protocol::simple) == 1);
  CHECK(backend_by_name("gloo") == Backend::gloo);
  CHECK_THROWS_WITH(backend_by_name("ncll"), Contains("did you mean 'nccl'"));
}
