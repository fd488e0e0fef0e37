#include "model/collective/nccl/choice.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dsim {

namespace {

// NVIDIA/nccl 5067397c src/graph/tuning.cc, column Simple.
constexpr double base_latency = 8.4;  // us, ring and tree
constexpr double ring_nvlink = 3.4, ring_pci = 5.7, ring_net = 14;
constexpr double tree_nvlink = 4, tree_pci = 4, tree_net = 14;
constexpr double tree_share = .92;
// Tree bandwidth correction by log2(size / 64 B).
constexpr std::array tree_correction = {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
                                        .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9};

// GB/s a tree channel carries at most on 1, 2 and more nodes.
std::array<double, 3> tree_channel(Architecture architecture) {
  switch (architecture) {
    case Architecture::volta:
      return {26.5, 18.5, 10};
    case Architecture::hopper:
      return {38.7, 41.4, 36};
    case Architecture::blackwell:
      return {70, 42.8, 24};
    default:
      return {24, 23.6, 17.8};
  }
}

}  // namespace

NcclMachine nccl_machine(const Communicator& c) {
  return {c.architecture, std::string(c.topology->cpu_vendor()), c.size(),
          static_cast<std::uint32_t>(c.nodes.size()), 0};
}

NcclChoice choose_nccl(const NcclGraphs& graphs, const NcclMachine& machine, const NcclSettings&,
                       CollectiveOp op, Bytes size, DataType, int) {
  NcclChoice choice;
  if (op != CollectiveOp::all_reduce || machine.ranks < 2) return choice;
  const double n = machine.ranks, nodes = machine.nodes;
  const double per_node = n / nodes;
  const double bytes = static_cast<double>(size.count);
  const bool nvlink = graphs.ring.nvlink;
  const double channels = graphs.ring.channels;
  const double graph_bandwidth = channels * graphs.ring.bw_inter;

  const double steps = 2 * (n - 1), network_steps = nodes > 1 ? 2 * (nodes - 1) : 0;
  const double post = nodes > 1 ? 3.0 : 0;  // NCCL_NET_OVERHEAD 1 us, three times for Simple
  double ring_latency = base_latency +
                        (steps - network_steps) * std::max(nvlink ? ring_nvlink : ring_pci, post) +
                        network_steps * ring_net;
  if (nodes > 1 && bytes / (2 * channels * n) >= 64)
    ring_latency *= machine.architecture == Architecture::volta ? 1.9 : 1.4;
  const double ring_bandwidth = graph_bandwidth * n / steps;
  const double ring_us = ring_latency + bytes / (1e3 * ring_bandwidth);

  const double tree_latency =
      base_latency + 2 * ((per_node - 1) * (nvlink ? tree_nvlink : tree_pci) +
                          std::floor(std::log2(nodes)) * tree_net);
  const auto column = std::min<std::size_t>(2, machine.nodes - 1);
  const double step = std::log2(std::max(1.0, bytes / 64));
  const double correction =
      step < tree_correction.size() ? tree_correction[static_cast<std::size_t>(step)] : 1.0;
  const double tree_bandwidth =
      .5 * correction *
      std::min(tree_share * graph_bandwidth, channels * tree_channel(machine.architecture)[column]);
  const double tree_us = tree_latency + bytes / (1e3 * tree_bandwidth);
  choice.estimates = {
      {"ring", Protocol::simple, ring_latency, ring_bandwidth, ring_us, true, ""},
      {"tree", Protocol::simple, tree_latency, tree_bandwidth, tree_us, true, ""}};
  choice.algorithm = tree_us < ring_us ? "tree" : "ring";
  choice.microseconds = std::min(tree_us, ring_us);
  return choice;
}

}  // namespace dsim
