// What NCCL's search finds on machines whose outcome is known.
#include "model/collective/nccl/graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "model/collective/nccl/search.h"
#include "model/compute/gpu.h"

namespace dsim {
namespace {

struct World {
  std::shared_ptr<const Topology> topology;
  Communicator communicator;
  NcclGraphs graphs;
};

NcclSettings version(const char* text) {
  NcclSettings settings;
  settings.version = parse_nccl_version(text);
  return settings;
}

World find(std::shared_ptr<const Topology> topology, std::vector<GpuId> gpus,
           const NcclSettings& settings) {
  World w{topology, {}, {}};
  w.communicator =
      make_communicator(*topology, topology->default_routing(),
                        gpu_by_name(topology->gpu_model()).architecture, std::move(gpus));
  w.graphs = find_nccl_graphs(w.communicator, settings);
  return w;
}

// `nodes` nodes of a type (a shipped name in quotes, or the object), with all GPUs or those of
// `local` in each.
World world(const std::string& node, std::size_t nodes, std::vector<std::size_t> local = {},
            const NcclSettings& settings = version("2.30.7"), const std::string& more = "") {
  std::string text = R"({"format": "dsim.topology/1", "node": )" + node + R"(, "nodes": )" +
                     std::to_string(nodes) + more;
  if (nodes > 1) text += R"(, "fabric": {"kind": "single_switch"})";
  auto topology = parse_topology(text + "}", "test");
  const std::size_t each = topology->gpus_per_node();
  std::vector<GpuId> gpus;
  for (std::size_t n = 0; n < nodes; ++n)
    if (local.empty())
      for (std::size_t g = 0; g < each; ++g) gpus.emplace_back(n * each + g);
    else
      for (const std::size_t g : local) gpus.emplace_back(n * each + g);
  return find(std::move(topology), std::move(gpus), settings);
}

const std::string v100 = R"("dgx1-v100")", a100 = R"("dgx-a100-80")", h100 = R"("dgx-h100")",
                  b200 = R"("dgx-b200")", l40s = R"("pcie-l40s")";

void check(const NcclGraph& graph, int channels, double inside, double outside) {
  CHECK(graph.channels == channels);
  CHECK(graph.bw_intra == Approx(inside));
  CHECK(graph.bw_inter == Approx(outside));
}

SearchGraph nvls_of(const World& w, const NcclSettings& settings = version("2.30.7")) {
  return search_graph(search_machine(w.communicator, 0, settings),
                      {ChannelPattern::nvls, 1, 64, false}, settings);
}

// A node of four H100 whose NVLinks join them pair by pair, 6 each, and one NIC beside the third.
const std::string four_h100 = R"({
  "format": "dsim.node/1", "title": "4 H100", "gpu": "h100-sxm", "cpu": "amd",
  "vertices": {"gpu": 4, "pcie_switch": 4, "cpu": 2, "nic": 1},
  "nic": {"kind": "roce", "bandwidth": "400 Gb/s"},
  "links": [
    {"kind": "nvlink", "bandwidth": "25 GB/s", "between": [["gpu0", "gpu1", 6], ["gpu0", "gpu2", 6],
     ["gpu0", "gpu3", 6], ["gpu1", "gpu2", 6], ["gpu1", "gpu3", 6], ["gpu2", "gpu3", 6]]},
    {"kind": "pcie", "bandwidth": "63 GB/s", "between": [["gpu0", "pcie_switch0"],
     ["gpu1", "pcie_switch1"], ["gpu2", "pcie_switch2"], ["gpu3", "pcie_switch3"],
     ["nic0", "pcie_switch2"], ["pcie_switch0", "cpu0"], ["pcie_switch1", "cpu0"],
     ["pcie_switch2", "cpu1"], ["pcie_switch3", "cpu1"]]},
    {"kind": "socket", "bandwidth": "16 GB/s", "between": [["cpu0", "cpu1"]]}]})";

// Four GPUs and four NICs, half of each at either socket.
std::string four_and_four(const std::string& gpu, const std::string& pcie, const std::string& nic) {
  return fmt::format(R"({{"format": "dsim.node/1", "title": "box", "gpu": "{}", "cpu": "intel",
    "vertices": {{"gpu": 4, "cpu": 2, "nic": 4}}, "nic": {{"kind": "tcp", "bandwidth": "{}"}},
    "links": [{{"kind": "pcie", "bandwidth": "{}", "between": [["gpu0", "cpu0"], ["gpu1", "cpu0"],
      ["gpu2", "cpu1"], ["gpu3", "cpu1"], ["nic0", "cpu0"], ["nic1", "cpu0"], ["nic2", "cpu1"],
      ["nic3", "cpu1"]]}},
      {{"kind": "socket", "bandwidth": "10 GB/s", "between": [["cpu0", "cpu1"]]}}]}})",
                     gpu, nic, pcie);
}

}  // namespace

// NVIDIA/nccl search.cc and connect.cc worked out by hand; public NCCL INFO lines agree.
TEST_CASE("one node of eight finds the channels that NCCL reports") {
  SECTION("DGX-1V") {
    const World w = world(v100, 1);
    check(w.graphs.ring, 6, 20, 20);
    check(w.graphs.tree, 6, 20, 20);
    CHECK(w.graphs.channels == 12);
  }
  SECTION("DGX A100") {
    const World w = world(a100, 1);
    check(w.graphs.ring, 12, 20, 20);
    check(w.graphs.tree, 12, 20, 20);
    CHECK(w.graphs.channels == 24);
    CHECK(w.graphs.p2p_channels == 32);
    CHECK(w.graphs.p2p_channels_per_peer == 32);
  }
  SECTION("DGX H100") {
    const World w = world(h100, 1);
    check(w.graphs.ring, 12, 30, 30);
    check(w.graphs.tree, 12, 30, 30);
    CHECK(w.graphs.channels == 24);
    CHECK(w.graphs.p2p_channels == 32);
    CHECK(w.graphs.p2p_channels_per_peer == 32);
  }
  SECTION("DGX B200") {
    const World w = world(b200, 1);
    check(w.graphs.ring, 16, 45, 45);
    CHECK(w.graphs.channels == 32);
  }
}

TEST_CASE("several nodes of eight have a channel a rail") {
  const std::size_t nodes = GENERATE(2, 3, 64);
  SECTION("DGX A100, 8 x 200 Gb/s") {
    const World w = world(a100, nodes);
    check(w.graphs.ring, 8, 24, 24);
    check(w.graphs.tree, 8, 30, 24);
    CHECK(w.graphs.channels == 16);
    CHECK_FALSE(w.graphs.tree.tree_pattern);  // two GPUs share a PCIe switch with the NIC
  }
  SECTION("DGX H100, 8 x 400 Gb/s") {
    const World w = world(h100, nodes);
    check(w.graphs.ring, 8, 45, 45);
    check(w.graphs.tree, 8, 48, 48);
    CHECK(w.graphs.channels == 16);
  }
  SECTION("p4d: 4 x 100 Gb/s for eight A100") {
    const World w = world(a100, nodes, {}, version("2.27.3"),
                          R"(, "nics": {"kind": "efa", "bandwidth": "100 Gb/s", "count": 4})");
    check(w.graphs.ring, 4, 12, 12);
    CHECK(w.graphs.channels == 8);
    std::set<std::uint32_t> rails;
    for (const ChannelPath& path : w.graphs.ring.paths) rails.insert(static_cast<int>(path.rail));
    CHECK(rails == std::set<std::uint32_t>{0, 1, 2, 3});
  }
  SECTION("p3dn: one NIC for eight V100") {
    const World w = world(v100, nodes, {}, version("2.27.3"),
                          R"(, "nics": {"kind": "efa", "bandwidth": "100 Gb/s", "count": 1})");
    check(w.graphs.ring, 1, 12, 12);
    CHECK(w.graphs.channels == 2);
  }
}

TEST_CASE("one GPU a node with PCIe 3 and 100 Gb/s has one channel of 12 GB/s, and PAT") {
  const std::string node = R"({
    "format": "dsim.node/1", "title": "one", "gpu": "a100-sxm-80", "cpu": "amd",
    "vertices": {"gpu": 1, "pcie_switch": 1, "cpu": 1, "nic": 1},
    "nic": {"kind": "ib", "bandwidth": "100 Gb/s"},
    "links": [{"kind": "pcie", "bandwidth": "15.75 GB/s", "between": [["gpu0", "pcie_switch0"],
      ["nic0", "pcie_switch0"], ["pcie_switch0", "cpu0"]]}]})";
  const World w = world(node, 4);
  check(w.graphs.ring, 1, 12, 12);
  check(w.graphs.tree, 1, 24, 12);
  CHECK(w.graphs.channels == 2);
  CHECK(w.graphs.p2p_channels == 2);
  CHECK(w.graphs.pat);
  CHECK_FALSE(world(node, 4, {}, version("2.22.3")).graphs.pat);
  CHECK_FALSE(world(node, 1).graphs.pat);
  CHECK_FALSE(world(v100, 4, {0, 1}).graphs.pat);
}

TEST_CASE("a V100 that receives and sends through one PCIe link loses an eighth of it") {
  // 12 - 12 / 8 = 10.5: the next speed is 10.
  check(world(v100, 4, {0}).graphs.ring, 1, 10, 10);
}

// NVIDIA/nccl issue 1406: graph dump of one A100 with one 200 Gb/s NIC.
TEST_CASE("one A100 and one NIC: ring 24, tree 48 inside and 24 outside") {
  const World w = world(a100, 2, {0});
  check(w.graphs.ring, 1, 24, 24);
  check(w.graphs.tree, 1, 48, 24);
  CHECK(w.graphs.tree.tree_pattern);
}

TEST_CASE("NVLS takes all GPUs of a node with NVSwitches that reduce as heads") {
  const auto heads = [&](const World& w, int channels, int inside, int outside) {
    const SearchGraph g = nvls_of(w);
    CHECK(g.channels == channels);
    CHECK(g.inside == inside);
    CHECK(g.outside == outside);
  };
  heads(world(h100, 1), 8, 40'000, 60'000);
  heads(world(h100, 2), 8, 40'000, 48'000);
  heads(world(h100, 1, {0, 1, 2, 3}), 4, 60'000, 60'000);
  heads(world(b200, 1), 8, 80'000, 90'000);
  heads(world(b200, 2), 8, 48'000, 48'000);
  CHECK(nvls_of(world(a100, 1)).channels == 0);
  CHECK(nvls_of(world(v100, 1)).channels == 0);
}

TEST_CASE("NVLS is there for more than two GPUs of Hopper or later, from 2.17 on") {
  CHECK(world(h100, 1).graphs.nvls_channels == 16);
  CHECK(world(h100, 2).graphs.nvls_channels == 16);
  CHECK(world(b200, 1).graphs.nvls_channels == 24);
  CHECK(world(b200, 2).graphs.nvls_channels == 32);
  CHECK(world(h100, 1, {0, 1}).graphs.nvls_channels == 0);
  CHECK(world(h100, 1, {0, 1, 2}).graphs.nvls_channels == 16);
  CHECK(world(h100, 1, {}, version("2.16.5")).graphs.nvls_channels == 0);
  CHECK(world(a100, 1).graphs.nvls_channels == 0);
  CHECK(world(four_h100, 1).graphs.nvls_channels == 0);
  CHECK(world(h100, 2).graphs.nvls_tree);
  CHECK_FALSE(world(h100, 1).graphs.nvls_tree);
  CHECK_FALSE(world(h100, 2, {}, version("2.17.1")).graphs.nvls_tree);
  auto off = version("2.30.7");
  off.nvls_enable = false;
  CHECK(world(h100, 2, {}, off).graphs.nvls_channels == 0);
  CHECK_FALSE(world(h100, 2, {}, off).graphs.nvls_tree);
}

// CCI-MOC/roce-testing, NCCL 2.26.2: "Channel 00/04 : 0 3 6 5 4 7 2 1", "4 coll channels, 4 collnet
// channels, 0 nvls channels, 4 p2p channels, 2 p2p channels per peer".
TEST_CASE("two nodes of four H100 with one NIC ring as their log shows") {
  const World w = world(four_h100, 2, {}, version("2.26.2"));
  CHECK(w.graphs.channels == 4);
  CHECK(w.graphs.nvls_channels == 0);
  CHECK(w.graphs.p2p_channels == 4);
  CHECK(w.graphs.p2p_channels_per_peer == 2);
  for (const ChannelPath& path : w.graphs.ring.paths) {
    CHECK(path.node_orders[0] == std::vector<std::uint32_t>{2, 1, 0, 3});
    CHECK(path.node_orders[1] == std::vector<std::uint32_t>{6, 5, 4, 7});
  }
  // "Trees [0] 3/6/-1->2->-1", "0/-1/-1->3->2", "1/-1/-1->0->3": 2 - 3 - 0 - 1.
  for (const ChannelPath& path : w.graphs.tree.paths)
    CHECK(path.node_orders[0] == std::vector<std::uint32_t>{2, 3, 0, 1});
}

// The same site with GPU 0 of each node: "2 coll channels, 2 collnet channels, 0 nvls channels, 2
// p2p channels, 2 p2p channels per peer".
TEST_CASE("a GPU at the other socket than its NIC has one slow channel") {
  const World w = world(four_h100, 2, {0}, version("2.26.2"));
  CHECK(w.graphs.channels == 2);
  CHECK(w.graphs.p2p_channels == 2);
  CHECK(w.graphs.p2p_channels_per_peer == 2);
  CHECK_FALSE(w.graphs.ring.ll128);
}

// NVIDIA/nccl issue 1189: two H20 of each node, PXN off: four channels of 24 that leave by the
// other NIC ("Pattern 4, crossNic 1, nChannels 4, bw 24.0/24.0, type NVL/PIX, sameChannels 0").
TEST_CASE("without PXN two GPUs with a NIC each cross from one to the other") {
  auto settings = version("2.19.3");
  settings.pxn_disable = true;
  const World w = world(h100, 2, {0, 1}, settings);
  check(w.graphs.ring, 4, 24, 24);
  CHECK_FALSE(w.graphs.ring.same_channels);
  CHECK(w.graphs.ring.paths[0].node_orders[0] != w.graphs.ring.paths[1].node_orders[0]);
  // Odd nodes take the channels of a pair in turn: what leaves by NIC 1 arrives at NIC 1.
  CHECK(w.graphs.ring.paths[0].node_orders[1] == std::vector<std::uint32_t>{3, 2});
  CHECK(w.graphs.ring.paths[0].node_orders[0] == std::vector<std::uint32_t>{0, 1});
  settings.cross_nic = 0;
  CHECK(world(h100, 2, {0, 1}, settings).graphs.ring.bw_inter < 24 * 2);
}

// NVIDIA/nccl issue 601: "Pattern 4, crossNic 0, nChannels 4, speed 1.2/1.2, type SYS/SYS".
TEST_CASE("four GPUs and four 10 Gb/s NICs on two sockets: four channels of 1.2 GB/s") {
  const World w =
      world(four_and_four("v100-sxm2-16", "15.75 GB/s", "10 Gb/s"), 2, {}, version("2.10.3"));
  check(w.graphs.ring, 4, 1.2, 1.2);
  CHECK_FALSE(w.graphs.ring.nvlink);
  CHECK_FALSE(w.graphs.ring.ll128);
}

TEST_CASE("two GPUs of an NVSwitch have trees twice as fast as rings") {
  // "nChannels 12, bw 40.0/40.0, type NVL/PIX": each of two trees sends one way only.
  const World w = world(a100, 1, {0, 1});
  check(w.graphs.ring, 12, 20, 20);
  check(w.graphs.tree, 12, 40, 40);
}

TEST_CASE("part of a DGX-1 has as many rings as its mesh") {
  CHECK(world(v100, 1, {0, 1, 2, 3}).graphs.ring.channels == 4);
  CHECK(world(v100, 1, {0, 1}).graphs.ring.channels == 1);
  CHECK(world(v100, 1, {0, 3}).graphs.ring.channels == 2);
  // 0 and 5 share no NVLink, and NCCL knows of no other GPU that could pass bytes on.
  CHECK_FALSE(world(v100, 1, {0, 5}).graphs.ring.nvlink);
}

TEST_CASE("older releases count 21 and 22 GB/s for an NVLink") {
  check(world(a100, 1, {}, version("2.7.8")).graphs.ring, 12, 21, 21);
  check(world(a100, 1, {}, version("2.12.12")).graphs.ring, 12, 22, 22);
  check(world(a100, 1, {}, version("2.18.3")).graphs.ring, 12, 20, 20);
}

TEST_CASE("rings of the DGX-1 use every NVLink once") {
  const World w = world(v100, 1);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
  for (const ChannelPath& path : w.graphs.ring.paths) {
    const auto& order = path.node_orders[0];
    for (std::size_t i = 0; i < order.size(); ++i) ++uses[{order[i], order[(i + 1) % 8]}];
  }
  // 0-3, 0-4, 1-2, 1-5, 2-3, 4-7, 5-6 and 6-7 are double.
  const std::set<std::pair<std::uint32_t, std::uint32_t>> twice{{0, 3}, {0, 4}, {1, 2}, {1, 5},
                                                                {2, 3}, {4, 7}, {5, 6}, {6, 7}};
  for (const auto& [pair, count] : uses)
    CHECK(count == 1 + static_cast<int>(twice.count(std::minmax(pair.first, pair.second))));
}

TEST_CASE("NCCL_MIN_NCHANNELS, NCCL_MAX_NCHANNELS and the CTA limits bound the channels") {
  auto settings = version("2.30.7");
  settings.max_channels = 4;
  CHECK(world(h100, 2, {}, settings).graphs.channels == 4);
  settings.max_channels.reset();
  settings.min_channels = 32;
  CHECK(world(h100, 2, {}, settings).graphs.channels == 32);
  settings.min_channels.reset();
  settings.max_ctas = 6;
  CHECK(world(h100, 2, {}, settings).graphs.channels == 6);
  settings.min_ctas = 8;
  settings.max_ctas.reset();
  CHECK(world(v100, 4, {0}, settings).graphs.channels == 8);
  settings.min_channels = 1'000;
  CHECK(world(h100, 1, {}, settings).graphs.channels == 64);
}

TEST_CASE("LL128 asks for NVLink inside and no CPU on the way out") {
  CHECK(world(a100, 2).graphs.ring.ll128);
  CHECK(world(h100, 2).graphs.ring.ll128);
  CHECK_FALSE(world(l40s, 1).graphs.ring.ll128);
  CHECK_FALSE(world(l40s, 2).graphs.ring.ll128);
}

TEST_CASE("CollNet graphs exist only when asked for, over several nodes") {
  auto settings = version("2.30.7");
  CHECK(world(h100, 2, {}, settings).graphs.collnet_chain.channels == 0);
  settings.collnet_enable = true;
  CHECK(world(h100, 1, {}, settings).graphs.collnet_chain.channels == 0);
  const World w = world(h100, 2, {}, settings);
  CHECK(w.graphs.collnet_chain.channels == w.graphs.ring.channels);
  CHECK(w.graphs.collnet_direct.channels == 8);
}

TEST_CASE("the EFAs of a GPU are one NIC to NCCL") {
  const auto pairs = [](int count, auto pair) {
    std::vector<std::string> parts;
    for (int i = 0; i < count; ++i) parts.push_back(pair(i));
    return fmt::format("{}", fmt::join(parts, ", "));
  };
  const std::string nics =
      pairs(32, [](int i) { return fmt::format(R"(["nic{}", "pcie_switch{}"])", i, i / 4); });
  const std::string gpus = pairs(8, [](int i) {
    return fmt::format(R"(["gpu{0}", "pcie_switch{0}"], ["pcie_switch{0}", "cpu{1}"])", i, i / 4);
  });
  const std::string nvlinks =
      pairs(8, [](int i) { return fmt::format(R"(["gpu{}", "nvswitch0"])", i); });
  const World w = world(
      R"({"format": "dsim.node/1", "title": "p5", "gpu": "h100-sxm", "cpu": "amd",
      "vertices": {"gpu": 8, "nvswitch": 1, "pcie_switch": 8, "cpu": 2, "nic": 32},
      "nic": {"kind": "efa", "bandwidth": "100 Gb/s"}, "links": [
      {"kind": "nvlink", "bandwidth": "450 GB/s", "between": [)" +
          nvlinks + R"(]}, {"kind": "pcie", "bandwidth": "63 GB/s", "between": [)" + nics + ", " +
          gpus +
          R"(]}, {"kind": "socket", "bandwidth": "16 GB/s", "between": [["cpu0", "cpu1"]]}]})",
      2);
  check(w.graphs.ring, 8, 45, 45);
  CHECK(w.graphs.channels == 16);
  std::set<std::uint32_t> rails;
  for (const ChannelPath& path : w.graphs.ring.paths) rails.insert(static_cast<int>(path.rail));
  CHECK(rails == std::set<std::uint32_t>{0, 4, 8, 12, 16, 20, 24, 28});
}

TEST_CASE("channels cover every rank of every node once and start beside their NIC") {
  const unsigned seed = GENERATE(range(0u, 40u));
  std::mt19937 random(seed);
  const auto node = std::vector<std::string>{v100, a100, h100, b200, l40s, four_h100}[seed % 6];
  const std::size_t nodes = 1 + random() % 4;
  auto topology = parse_topology(
      R"({"format": "dsim.topology/1", "node": )" + node + R"(, "nodes": )" +
          std::to_string(nodes) + (nodes > 1 ? R"(, "fabric": {"kind": "single_switch"}})" : "}"),
      "test");
  std::vector<GpuId> gpus;
  for (std::size_t g = 0; g < topology->gpu_count(); ++g)
    if (random() % 3 != 0 || gpus.empty()) gpus.emplace_back(g);
  std::shuffle(gpus.begin(), gpus.end(), random);
  const World w = find(topology, gpus, version("2.30.7"));
  INFO("seed " << seed << ", " << node);
  for (const NcclGraph* graph : {&w.graphs.ring, &w.graphs.tree}) {
    REQUIRE(static_cast<int>(graph->paths.size()) == graph->channels);
    REQUIRE(graph->channels > 0);
    CHECK(graph->bw_intra > 0);
    CHECK(graph->bw_inter > 0);
    for (const ChannelPath& path : graph->paths) {
      REQUIRE(path.node_orders.size() == w.communicator.nodes.size());
      for (std::size_t n = 0; n < path.node_orders.size(); ++n) {
        auto order = path.node_orders[n], ranks = w.communicator.nodes[n];
        if (n == 0 && w.communicator.nodes.size() > 1 && topology->has_nvswitch()) {
          const SearchMachine m = search_machine(w.communicator, 0, version("2.30.7"));
          const auto nic =
              std::find(m.nic_index.begin(), m.nic_index.end(), static_cast<int>(path.rail));
          REQUIRE(nic != m.nic_index.end());
          const auto& near = m.gpus_of_nic[static_cast<std::size_t>(nic - m.nic_index.begin())];
          CHECK(std::any_of(near.begin(), near.end(), [&](int g) {
            return static_cast<std::size_t>(m.local_index[static_cast<std::size_t>(g)]) ==
                   topology->local_index(w.communicator.gpus[order[0]]);
          }));
        }
        std::sort(order.begin(), order.end());
        std::sort(ranks.begin(), ranks.end());
        CHECK(order == ranks);
      }
    }
  }
  CHECK(w.graphs.channels >= 1);
  CHECK(w.graphs.channels <= 64);
  CHECK(w.graphs.p2p_channels_per_peer <= w.graphs.p2p_channels);
}

TEST_CASE("nodes of unlike parts agree on the least of their channels") {
  auto topology = parse_topology(
      R"({"format": "dsim.topology/1", "node": "dgx-a100-80", "nodes": 2,
          "fabric": {"kind": "single_switch"}})",
      "test");
  std::vector<GpuId> gpus;
  for (std::size_t g = 0; g < 10; ++g) gpus.emplace_back(g);  // eight and two
  const World w = find(topology, gpus, version("2.30.7"));
  const int whole = world(a100, 2).graphs.ring.channels;
  const int pair = world(a100, 2, {0, 1}).graphs.ring.channels;
  CHECK(w.graphs.ring.channels == std::min(whole, pair));
  CHECK(w.graphs.ring.paths[0].node_orders[0].size() == 8);
  CHECK(w.graphs.ring.paths[0].node_orders[1].size() == 2);
}

TEST_CASE("many equal nodes find what two do") {
  const World two = world(h100, 2), many = world(h100, 512);
  CHECK(many.graphs.ring.channels == two.graphs.ring.channels);
  CHECK(many.graphs.tree.bw_intra == two.graphs.tree.bw_intra);
  CHECK(many.graphs.ring.paths[3].node_orders[0] == two.graphs.ring.paths[3].node_orders[0]);
  CHECK(many.graphs.ring.paths[3].node_orders[511][0] ==
        two.graphs.ring.paths[3].node_orders[0][0] + 511 * 8);
}

TEST_CASE("sends and receives use two channels an NVLink, and fewer with many nodes") {
  CHECK(world(v100, 1).graphs.p2p_channels_per_peer == 2);
  CHECK(world(l40s, 1).graphs.p2p_channels_per_peer == 2);
  CHECK(world(h100, 2, {}, version("2.28.9")).graphs.p2p_channels_per_peer == 2);
  CHECK(world(h100, 16, {}, version("2.28.9")).graphs.p2p_channels_per_peer == 1);
  // NCCL 2.29 asks for a channel each 14 GB/s, 2.30 halves that where peers are many.
  CHECK(world(h100, 16, {}, version("2.29.3")).graphs.p2p_channels_per_peer == 4);
  CHECK(world(h100, 2, {}, version("2.30.7")).graphs.p2p_channels_per_peer == 4);
  CHECK(world(h100, 64, {}, version("2.30.7")).graphs.p2p_channels_per_peer == 1);
}

}  // namespace dsim
