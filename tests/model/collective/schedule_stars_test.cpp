// Schedules with channels on any communicator: NVSwitch stars, trees and CollNet are played with
// multisets of contributions; bytes on links are the textbook's.
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "model/collective/algorithm.h"
#include "model/collective/granularity.h"
#include "sim/network/link_defaults.h"
#include "tests/model/collective/worlds.h"

using namespace dsim;
using namespace dsim::test;

namespace {

using Sum = std::multiset<std::uint32_t>;

Communicator of_gpus(const Topology& topology, std::vector<GpuId> gpus) {
  return make_communicator(topology, topology.default_routing(),
                           gpu_by_name(topology.gpu_model()).architecture, std::move(gpus));
}

Schedule plan(const char* algorithm, const Communicator& c, CollectiveOp op,
              std::uint32_t root = 0) {
  NcclSettings settings;
  settings.collnet_enable = true;
  const NcclGraphs graphs = find_nccl_graphs(c, settings);
  const PlanRequest request{
      .communicator = &c, .op = op, .size = Bytes{}, .root = root, .nccl = &graphs};
  REQUIRE(algorithm_by_name(algorithm).unfit(request).empty());
  return algorithm_by_name(algorithm).plan(request);
}

Sum everyone_of(const Communicator& c) {
  Sum all;
  for (std::uint32_t r = 0; r < c.size(); ++r) all.insert(r);
  return all;
}

// What every worker of a channel holds in the end, and which part of the vector (connected workers)
// it belongs to. A worker adds its rank's data to a part once; a switch adds what all GPUs of the
// node hold.
struct Played {
  std::vector<Sum> value;
  std::vector<std::uint32_t> part;
};

Played play(const Schedule& s, const Communicator& c, std::uint32_t channel) {
  Played p;
  p.value.resize(s.workers.size());
  p.part.resize(s.workers.size());
  std::iota(p.part.begin(), p.part.end(), 0u);
  const auto find = [&](std::uint32_t w) {
    while (p.part[w] != w) w = p.part[w];
    return w;
  };
  for (auto i = s.first_connection[channel]; i < s.first_connection[channel + 1]; ++i)
    p.part[find(s.connections[i].to_worker)] = find(s.connections[i].from_worker);
  const bool switches = s.mechanics == Mechanics::nvls || s.mechanics == Mechanics::nvls_tree;
  std::vector<std::uint32_t> missing(s.workers.size());
  std::deque<std::uint32_t> ready;
  std::set<std::pair<std::uint32_t, std::uint32_t>> added;
  for (auto w = s.first_worker[channel]; w < s.first_worker[channel + 1]; ++w)
    if ((missing[w] = s.workers[w].in_count) == 0) ready.push_back(w);
  std::uint32_t played = 0;
  while (!ready.empty()) {
    const std::uint32_t w = ready.front();
    ready.pop_front();
    ++played;
    const Worker& worker = s.workers[w];
    if (added.emplace(find(w), worker.rank).second && !switches) p.value[w].insert(worker.rank);
    for (std::uint32_t i = 0; i < worker.out_count; ++i) {
      const Connection& connection = s.connections[s.out[worker.first_out + i]];
      const std::uint32_t to = connection.to_worker;
      if (switches && !connection.network) {
        for (const auto& node : c.nodes)
          if (std::find(node.begin(), node.end(), worker.rank) != node.end())
            p.value[to].insert(node.begin(), node.end());
      } else {
        p.value[to].insert(p.value[w].begin(), p.value[w].end());
      }
      if (--missing[to] == 0) ready.push_back(to);
    }
  }
  CHECK(played == s.first_worker[channel + 1] - s.first_worker[channel]);  // no cycle
  for (auto w = s.first_worker[channel]; w < s.first_worker[channel + 1]; ++w) p.part[w] = find(w);
  return p;
}

// Every part ends with the sum over all ranks, once each, at one rank of every node at least (whose
// switch hands it on) or at every rank.
void check_all_reduce(const Schedule& s, const Communicator& c, bool every_rank) {
  for (const std::uint32_t channel : {0u, s.channels - 1}) {
    const Played p = play(s, c, channel);
    std::map<std::uint32_t, std::set<std::uint32_t>> complete;  // part -> ranks
    std::set<std::uint32_t> parts;
    for (auto w = s.first_worker[channel]; w < s.first_worker[channel + 1]; ++w) {
      parts.insert(p.part[w]);
      if (p.value[w] == everyone_of(c)) complete[p.part[w]].insert(s.workers[w].rank);
      if (s.workers[w].out_count == 0) CHECK(p.value[w] == everyone_of(c));
    }
    CHECK(parts.size() == static_cast<std::size_t>(s.blocks));
    for (const std::uint32_t part : parts) {
      if (every_rank) {
        CHECK(complete[part].size() == c.size());
        continue;
      }
      for (const auto& node : c.nodes)
        CHECK(std::any_of(node.begin(), node.end(),
                          [&](std::uint32_t r) { return complete[part].count(r) > 0; }));
    }
  }
}

// Bytes a call puts on every link.
std::map<std::uint32_t, double> link_bytes(const Schedule& s, Bytes size) {
  const Granularity g = granularity(s, size, Protocol::simple);
  std::map<std::uint32_t, double> bytes;
  for (std::uint32_t i = 0; i < s.first_connection[g.channels]; ++i)
    for (std::uint32_t l = 0; l < s.connections[i].link_count; ++l) {
      const LinkShare& share = s.links[s.connections[i].first_link + l];
      bytes[share.link.value] += share.share * g.channel_bytes();
    }
  return bytes;
}

// Most bytes that leave a NIC towards the fabric, and all of them.
std::pair<double, double> nic_bytes(const Topology& t, const Schedule& s, Bytes size) {
  double most = 0, all = 0;
  for (const auto& [link, bytes] : link_bytes(s, size)) {
    const Link l = t.link(LinkId{link});
    if (!is_network(l.kind) || t.vertex_kind(l.from) != VertexKind::nic) continue;
    most = std::max(most, bytes);
    all += bytes;
  }
  return {most, all};
}

}  // namespace

TEST_CASE("the switch sums every part once on one node and on several") {
  const auto topology = shipped("dgx8x64.json");
  for (const std::size_t gpus : {std::size_t{8}, std::size_t{5}}) {
    const Communicator one = everybody(*topology, gpus);
    check_all_reduce(plan("nvls", one, CollectiveOp::all_reduce), one, false);
  }
  const auto nodes = GENERATE(2, 3, 4, 5, 7, 16);
  CAPTURE(nodes);
  const Communicator c = everybody(*topology, static_cast<std::size_t>(nodes) * 8);
  check_all_reduce(plan("nvls_tree", c, CollectiveOp::all_reduce), c, false);
}

TEST_CASE("switches in the network sum every part once and every rank gets it") {
  const auto topology = shipped("dgx8x64.json");
  const auto nodes = GENERATE(2, 3, 4, 7);
  CAPTURE(nodes);
  const Communicator c = everybody(*topology, static_cast<std::size_t>(nodes) * 8);
  check_all_reduce(plan("collnet_direct", c, CollectiveOp::all_reduce), c, true);
  check_all_reduce(plan("collnet_chain", c, CollectiveOp::all_reduce), c, true);
}

TEST_CASE("trees sum once over subsets, strides, permutations and nodes of unequal size") {
  const auto topology = shipped("dgx8x64.json");
  const auto seed = GENERATE(range(1u, 21u));
  std::mt19937 random(seed);
  std::vector<GpuId> gpus;
  const std::size_t nodes = 1 + random() % 9;
  for (std::size_t node = 0; node < nodes; ++node)
    for (std::size_t local = 0, most = 1 + random() % 8; local < most; ++local)
      gpus.emplace_back(node * 8 + local);
  if (seed % 2 == 0) std::shuffle(gpus.begin(), gpus.end(), random);
  CAPTURE(seed, nodes, gpus.size());
  const Communicator c = of_gpus(*topology, gpus);
  if (c.size() == 1) return;
  check_all_reduce(plan("tree", c, CollectiveOp::all_reduce), c, true);
  // Rings visit every rank once.
  const Schedule ring = plan("ring", c, CollectiveOp::all_reduce);
  for (std::uint32_t channel = 0; channel < ring.channels; ++channel) {
    std::uint32_t worker = ring.first_worker[channel];
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      seen.insert(ring.workers[worker].rank);
      worker = ring.connections[ring.out[ring.workers[worker].first_out]].to_worker;
    }
    CHECK(seen.size() == c.size());
    CHECK(worker == ring.first_worker[channel]);
  }
}

TEST_CASE("a broadcast reaches all from any root and a reduction ends at any root") {
  const auto topology = shipped("dgx-a100x2.json");
  const Communicator c = everybody(*topology);
  const auto root = GENERATE(0u, 3u, 8u, 15u);
  CAPTURE(root);
  const Schedule broadcast = plan("ring", c, CollectiveOp::broadcast, root);
  const Schedule reduce = plan("ring", c, CollectiveOp::reduce, root);
  for (std::uint32_t channel = 0; channel < broadcast.channels; ++channel) {
    const Played out = play(broadcast, c, channel), in = play(reduce, c, channel);
    for (auto w = broadcast.first_worker[channel]; w < broadcast.first_worker[channel + 1]; ++w) {
      CHECK(out.value[w].count(root) == 1);
      CHECK((broadcast.workers[w].in_count == 0) == (broadcast.workers[w].rank == root));
    }
    for (auto w = reduce.first_worker[channel]; w < reduce.first_worker[channel + 1]; ++w)
      if (reduce.workers[w].out_count == 0) {
        CHECK(reduce.workers[w].rank == root);
        CHECK(in.value[w] == everyone_of(c));
      }
  }
}

TEST_CASE("bytes on NICs and NVLinks are the textbook's") {
  const auto topology = shipped("dgx8x64.json");
  const Bytes size{std::int64_t{1} << 30};
  const double s = static_cast<double>(size.count);
  for (const std::size_t nodes : {2u, 3u, 4u, 8u}) {
    const Communicator c = everybody(*topology, nodes * 8);
    const double n = c.size(), all_nodes = static_cast<double>(nodes);
    CAPTURE(nodes);
    // Ring: 2 (n - 1) / n S leave every node, spread over 8 rails.
    const auto ring = nic_bytes(*topology, plan("ring", c, CollectiveOp::all_reduce), size);
    CHECK(ring.first == Approx(2 * (n - 1) / n * s / 8));
    CHECK(ring.second == Approx(all_nodes * 2 * (n - 1) / n * s));
    // Trees: 2 (N - 1) crossings of S in all; a node sends S of 2, 1.5 S of 3, at most 2 S of more.
    for (const char* name : {"tree", "nvls_tree"}) {
      CAPTURE(name);
      const auto tree = nic_bytes(*topology, plan(name, c, CollectiveOp::all_reduce), size);
      CHECK(tree.second == Approx(2 * (all_nodes - 1) * s));
      CHECK(tree.first <= (nodes == 2 ? 1 : nodes == 3 ? 1.5 : 2) * s / 8 * 1.0001);
    }
    // The network's switches: S up from every node and S down.
    const auto sharp =
        nic_bytes(*topology, plan("collnet_chain", c, CollectiveOp::all_reduce), size);
    CHECK(sharp.second == Approx(all_nodes * s));
  }
  // NVLS: S up to the switch and S down from it at every GPU.
  const Communicator one = everybody(*topology, 8);
  for (const auto& [link, bytes] : link_bytes(plan("nvls", one, CollectiveOp::all_reduce), size))
    CHECK(bytes == Approx(s));
}
