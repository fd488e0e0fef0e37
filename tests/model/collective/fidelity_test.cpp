// `fluid` against `steps`, the reference, on the shipped clusters: every algorithm of the registry,
// alone and beside a second collective on the same links.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <map>

#include "model/collective/predictor.h"
#include "tests/model/collective/worlds.h"

using namespace dsim;
using namespace dsim::test;

namespace {

struct Site {
  std::string name;
  std::size_t gpus = 0;  // the first so many; 0 = all
};

struct Case {
  std::string algorithm;
  Site site;
  CollectiveOp op = CollectiveOp::all_reduce;
  std::int64_t mib = 1;
  Protocol protocol = Protocol::simple;
  std::uint32_t channels = 0;
  bool beside = false;
};

std::shared_ptr<const Topology> topology_of(const Site& site) {
  const auto all = shipped(site.name);
  return site.gpus == 0 ? all : first_gpus(all, site.gpus);
}

Backend backend_of(std::string_view algorithm) {
  for (const std::string_view name : {"bcube", "ring_chunked", "gloo_ring", "segmented_ring",
                                      "nonoverlapping", "linear", "binomial", "bruck"})
    if (name == algorithm) return Backend::gloo;
  return Backend::nccl;
}

CollectiveSetup setup_of(const Case& c, std::shared_ptr<const Topology> topology) {
  CollectiveSetup setup;
  setup.topology = std::move(topology);
  setup.backend = backend_of(c.algorithm);
  setup.algorithm = c.algorithm;
  setup.nccl.collnet_enable = true;
  if (setup.backend == Backend::nccl) setup.protocol = c.protocol;
  if (c.channels > 0) setup.channels = c.channels;
  return setup;
}

// Whether an algorithm can do an op there.
bool can(const Case& c, const CollectivePredictor& there) {
  const Algorithm& algorithm = algorithm_by_name(c.algorithm);
  if (c.algorithm == "custom" || !algorithm.supports(c.op)) return false;
  return algorithm
      .unfit({.communicator = &there.communicator(),
              .op = c.op,
              .size = Bytes{c.mib << 20},
              .nccl = backend_of(c.algorithm) == Backend::nccl ? &there.graphs() : nullptr})
      .empty();
}

double difference(const Case& c, const std::shared_ptr<const Topology>& topology) {
  CollectiveQuery query;
  query.op = c.op;
  query.size = Bytes{c.mib << 20};
  const ConcurrentCollective one{setup_of(c, topology), query, Time{}};
  std::vector<ConcurrentCollective> calls(c.beside ? 2 : 1, one);
  const double fluid = run_concurrently(calls, Fidelity::fluid)[0];
  const double steps = run_concurrently(calls, Fidelity::steps)[0];
  return fluid / steps - 1;
}

// Differences by algorithm, [>= 16 MiB][beside].
struct Differences {
  std::map<std::string, std::array<std::array<std::vector<double>, 2>, 2>> of;

  void add(const Case& c, double value) {
    of[c.protocol == Protocol::simple ? c.algorithm
                                      : fmt::format("{} {}", c.algorithm, name_of(c.protocol))]
      [c.mib >= 16][c.beside]
          .push_back(std::abs(value));
  }
  static double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
  static std::string cell(const std::vector<double>& values) {
    if (values.empty()) return "";
    return fmt::format("{:.1f} / {:.1f}", 100 * median(values),
                       100 * *std::max_element(values.begin(), values.end()));
  }
  std::string table() const {
    std::string text = "median / worst, % | 1 MiB | 1 MiB beside | 16 MiB and more | beside\n";
    for (const auto& [name, d] : of)
      text += fmt::format("{} | {} | {} | {} | {}\n", name, cell(d[0][0]), cell(d[0][1]),
                          cell(d[1][0]), cell(d[1][1]));
    return text;
  }
  // The goal is 10 % from 1 MiB and 3 % from 16 MiB. Missed beside another by rings' broadcast and
  // reduce and by trees: `fluid` spreads evenly over links and time what comes in bursts. Missed
  // under LL and LL128, which are not chosen for such sizes between nodes: that a message waits at
  // a NIC until it is whole is in `steps` only.
  void check() const {
    for (const auto& [name, d] : of)
      for (const std::size_t large : {0u, 1u}) {
        INFO(name << (large ? " from 16 MiB" : " of 1 MiB"));
        const bool low_latency = name.find(" LL") != name.npos;
        const bool stream = name == "tree" || name == "nvls_tree" || name.starts_with("collnet");
        CHECK(median(d[large][0]) <= (low_latency ? large ? .08 : .15 : large ? .03 : .10));
        CHECK(median(d[large][1]) <= (stream || low_latency ? .25
                                      : name == "ring"      ? .10
                                      : large               ? .03
                                                            : .10));
      }
  }
  void check_all() const {
    std::array<std::vector<double>, 2> all;
    for (const auto& [name, d] : of)
      for (const std::size_t large : {0u, 1u})
        all[large].insert(all[large].end(), d[large][1].begin(), d[large][1].end());
    CHECK(median(all[0]) <= .10);
    CHECK(median(all[1]) <= .03);
  }
};

Differences compare(const std::vector<Site>& sites, const std::vector<std::int64_t>& mib,
                    std::uint32_t channels = 0, const std::vector<Protocol>& protocols = {}) {
  Differences differences;
  for (const Site& site : sites) {
    const auto topology = topology_of(site);
    Case any{.algorithm = "", .site = site};
    const CollectivePredictor there(setup_of(any, topology));
    for (const Algorithm* algorithm : algorithms())
      for (const CollectiveOp op : all_collectives())
        for (const std::int64_t size : mib) {
          Case c{.algorithm = std::string(algorithm->name), .site = site, .op = op, .mib = size};
          c.channels = channels;
          if (op == CollectiveOp::barrier || !can(c, there)) continue;
          if (!protocols.empty() && c.algorithm != "ring" && c.algorithm != "tree") continue;
          for (const Protocol protocol :
               protocols.empty() ? std::vector{Protocol::simple} : protocols)
            for (const bool beside : {false, true}) {
              c.protocol = protocol;
              c.beside = beside;
              differences.add(c, difference(c, topology));
            }
        }
  }
  return differences;
}

}  // namespace

TEST_CASE("fluid agrees with steps for every algorithm, alone and beside a second collective",
          "[fidelity]") {
  const Differences differences = compare({{"dgx-h100x1.json"},
                                           {"dgx-h100x2.json"},
                                           {"dgx-a100x2.json"},
                                           {"ring4.json"},
                                           {"dgx1-v100x1.json"},
                                           {"pcie-l40sx1.json"}},
                                          {1, 16, 128});
  differences.check();
  differences.check_all();
}

TEST_CASE("fluid agrees with steps under LL and LL128", "[fidelity]") {
  const Differences differences =
      compare({{"dgx-h100x1.json"}, {"dgx-h100x2.json"}, {"dgx-a100x2.json"}, {"ring4.json"}},
              {1, 16}, 0, {Protocol::ll, Protocol::ll128});
  differences.check();
}

TEST_CASE("fluid agrees with steps for every algorithm on more of the shipped clusters",
          "[.][slow]") {
  const Differences differences = compare({{"dgx8x64.json", 64},
                                           {"dgx8x64-a100.json", 64},
                                           {"a100x16-oversubscribed.json"},
                                           {"torus-4x4.json"},
                                           {"ndv2x2.json"},
                                           {"mi300xx1.json"},
                                           {"dgx2x1.json"},
                                           {"gh200-x4x2.json"},
                                           {"p5x16.json", 32},
                                           {"gb200-nvl72x1.json"}},
                                          {1, 16, 64});
  std::cout << differences.table();
  differences.check();
}

TEST_CASE("fluid agrees with steps within 15 % alone and 30 % beside another on 256 GPUs",
          "[.][slow]") {
  // One or two machines an algorithm: no medians. Most agree within 1 %; trees and pairwise
  // exchanges on these channels do not.
  const Differences differences =
      compare({{"dgx8x64.json", 256}, {"kestrel-dragonfly.json", 256}}, {1, 16}, 2);
  std::cout << differences.table();
  for (const auto& [name, d] : differences.of)
    for (const std::size_t large : {0u, 1u}) {
      CAPTURE(name, large);
      CHECK(Differences::median(d[large][0]) <= .15);
      CHECK(Differences::median(d[large][1]) <= .30);
    }
}
