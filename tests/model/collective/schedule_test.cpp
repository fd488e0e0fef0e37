// Every schedule is played with sets of contributions instead of numbers: what a rank ends up with
// is then known exactly, whatever the time model says.
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>

#include "model/collective/algorithm.h"
#include "model/collective/granularity.h"
#include "tests/model/collective/worlds.h"

using namespace dsim;
using namespace dsim::test;

namespace {

// A message: for each block the multiset of ranks whose data it sums.
using Content = std::map<std::int64_t, std::multiset<std::uint32_t>>;

std::multiset<std::uint32_t> all_ranks(std::uint32_t n) {
  std::multiset<std::uint32_t> ranks;
  for (std::uint32_t r = 0; r < n; ++r) ranks.insert(r);
  return ranks;
}

// Ring all-reduce as the rules say: worker at position p first sends block p, adds its own part to
// what it receives in the first n - 1 receives, and forwards what it received.
std::vector<Content> play_ring_all_reduce(const Schedule& s, std::uint32_t channel) {
  const std::uint32_t first = s.first_worker[channel], n = s.ranks;
  std::vector<Content> result(n);
  std::vector<std::deque<Content>> wire(s.connections.size());
  for (std::int64_t op = 0; op <= s.rounds; ++op) {
    std::vector<std::pair<std::uint32_t, Content>> sent;
    for (std::uint32_t p = 0; p < n; ++p) {
      const Worker& w = s.workers[first + p];
      REQUIRE(w.in_count == 1);
      REQUIRE(w.out_count == 1);
      Content message;
      if (op == 0) {
        message[p] = {w.rank};
      } else {
        auto& in = wire[s.in[w.first_in]];
        REQUIRE(!in.empty());  // nobody waits for ever
        message = in.front();
        in.pop_front();
        if (op < n)
          for (auto& [block, ranks] : message) ranks.insert(w.rank);
        if (op >= n - 1)
          for (const auto& [block, ranks] : message) result[w.rank][block] = ranks;
      }
      if (op < s.rounds) sent.emplace_back(s.out[w.first_out], message);
    }
    for (auto& [connection, message] : sent) wire[connection].push_back(message);
  }
  for (std::uint32_t c = s.first_connection[channel]; c < s.first_connection[channel + 1]; ++c)
    CHECK(wire[c].empty());
  return result;
}

// A stream: a worker waits for one message on each incoming connection; a worker that merges
// several or has none to wait for adds its own part. Returns what each rank ends up with.
std::vector<std::multiset<std::uint32_t>> play_stream(const Schedule& s, std::uint32_t channel) {
  std::vector<std::multiset<std::uint32_t>> result(s.ranks), value(s.workers.size());
  std::vector<std::uint32_t> missing(s.workers.size());
  std::deque<std::uint32_t> ready;
  std::set<std::uint32_t> added;
  for (auto w = s.first_worker[channel]; w < s.first_worker[channel + 1]; ++w) {
    missing[w] = s.workers[w].in_count;
    if (missing[w] == 0) ready.push_back(w);
  }
  std::size_t played = 0;
  while (!ready.empty()) {
    const std::uint32_t w = ready.front();
    ready.pop_front();
    ++played;
    const Worker& worker = s.workers[w];
    if (added.insert(worker.rank).second) value[w].insert(worker.rank);
    result[worker.rank] = value[w];
    for (std::uint32_t i = 0; i < worker.out_count; ++i) {
      const std::uint32_t to = s.connections[s.out[worker.first_out + i]].to_worker;
      value[to].insert(value[w].begin(), value[w].end());
      if (--missing[to] == 0) ready.push_back(to);
    }
  }
  CHECK(played == s.first_worker[channel + 1] - s.first_worker[channel]);  // no cycle
  return result;
}

}  // namespace

TEST_CASE("a ring all-reduce leaves every rank with every block reduced exactly once") {
  const auto name = GENERATE("dgx-h100x1.json", "dgx-a100x2.json", "dgx1-v100x1.json",
                             "pcie-l40sx1.json", "ring4.json");
  CAPTURE(name);
  const auto topology = shipped(name);
  const Communicator c = everybody(*topology);
  const Schedule s = planned("ring", c, CollectiveOp::all_reduce);
  for (std::uint32_t channel = 0; channel < s.channels; ++channel)
    for (const Content& content : play_ring_all_reduce(s, channel)) {
      REQUIRE(content.size() == c.size());
      for (const auto& [block, ranks] : content) CHECK(ranks == all_ranks(c.size()));
    }
}

TEST_CASE("a tree all-reduce leaves every rank with the sum over all, for any number of nodes") {
  const auto gpus = GENERATE(8, 16, 24, 32, 40, 56, 64, 72, 120, 512);
  CAPTURE(gpus);
  const auto topology = shipped("dgx8x64.json");
  const Communicator c = everybody(*topology, static_cast<std::size_t>(gpus));
  const Schedule s = planned("tree", c, CollectiveOp::all_reduce);
  for (const std::uint32_t channel : {0u, s.channels / 2, s.channels - 1})
    for (const auto& ranks : play_stream(s, channel)) CHECK(ranks == all_ranks(c.size()));
}

TEST_CASE("no node is an inner node in both trees") {
  const auto nodes = GENERATE(2, 3, 4, 5, 8, 13, 64);
  const auto topology = shipped("dgx8x64.json");
  const Communicator c = everybody(*topology, static_cast<std::size_t>(nodes) * 8);
  const Schedule s = planned("tree", c, CollectiveOp::all_reduce);
  // A node's network sends: 1 to its parent and 1 to each child. Over both trees at most 1+2
  // plus 1.
  std::map<std::size_t, int> network_sends;
  for (const std::uint32_t channel : {0u, s.channels / 2})
    for (auto i = s.first_connection[channel]; i < s.first_connection[channel + 1]; ++i)
      if (s.connections[i].network)
        ++network_sends[topology->node_of(c.gpus[s.workers[s.connections[i].from_worker].rank])];
  for (const auto& [node, sends] : network_sends) CHECK(sends <= 4);
}

TEST_CASE("a broadcast brings the root's data to every rank") {
  const auto topology = shipped("dgx-a100x2.json");
  const Schedule s = planned("ring", everybody(*topology), CollectiveOp::broadcast);
  for (std::uint32_t channel = 0; channel < s.channels; ++channel)
    for (const auto& ranks : play_stream(s, channel)) CHECK(ranks.count(0) == 1);
}

TEST_CASE("a ring moves the textbook number of bytes and crosses each NIC once per node and rail") {
  const auto topology = shipped("dgx-a100x2.json");
  const Communicator c = everybody(*topology);
  const double n = c.size();
  for (const auto& [op, rounds] : {std::pair{CollectiveOp::all_reduce, 2 * (n - 1)},
                                   {CollectiveOp::all_gather, n - 1},
                                   {CollectiveOp::reduce_scatter, n - 1}}) {
    const Schedule s = planned("ring", c, op);
    const Granularity g = granularity(s, 256_MiB, Protocol::simple);
    std::vector<double> sent(c.size(), 0);
    std::map<std::uint32_t, int> nic_crossings;
    for (const Connection& connection : s.connections) {
      sent[s.workers[connection.from_worker].rank] += g.channel_bytes();
      nic_crossings[s.workers[connection.from_worker].channel] += connection.network;
    }
    for (const double bytes : sent) CHECK(bytes == Approx(rounds / n * 256 * 1048576.0));
    for (const auto& [channel, crossings] : nic_crossings) CHECK(crossings == 2);  // one per node
  }
}

TEST_CASE(
    "the NVLink mesh of a DGX-1 holds six directed rings over 8 GPUs, four over a quad, one over a "
    "pair") {
  const auto topology = shipped("dgx1-v100x1.json");
  const auto [gpus, rings] = GENERATE(table<std::size_t, std::size_t>({{8, 6}, {4, 4}, {2, 1}}));
  // Measured: 22.5, 85 and 134.5 GB/s bus bandwidth on 2, 4 and 8 GPUs of 22.5 GB/s links.
  CHECK(find_nccl_graphs(everybody(*topology, gpus), {}).channels == static_cast<int>(2 * rings));
}
