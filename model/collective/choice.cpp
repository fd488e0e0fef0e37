#include "model/collective/choice.h"

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

// GB/s NCCL counts for the NVLinks of a GPU (src/graph/topo.h: 20, 20, 20.6, 40.1 a link).
double nvlink_of(Architecture architecture) {
  switch (architecture) {
    case Architecture::volta:
      return 6 * 20.0;
    case Architecture::ampere:
      return 12 * 20.0;
    case Architecture::hopper:
      return 18 * 20.6;
    case Architecture::blackwell:
      return 18 * 40.1;
    default:
      return 12;
  }
}

}  // namespace

namespace {

double graph_bandwidth(const Communicator& c, double channels) {
  const Topology& t = *c.topology;
  // PCIe x16 of generation 4 where there is no NVLink (topo.h: 24).
  double inside = t.nvlink_inside_node() ? nvlink_of(c.architecture) : 24;
  if (!t.has_nvswitch() && t.nvlink_inside_node() && c.nodes.size() == 1)
    inside = 20.0 * std::max(1.0, channels);
  if (c.nodes.size() == 1) return inside;
  double nics = 0;
  for (std::size_t l = 0; l < t.link_count(); ++l) {
    const Link link = t.link(LinkId{l});
    if (t.vertex_kind(link.from) != VertexKind::nic) continue;
    const VertexKind to = t.vertex_kind(link.to);
    if (to == VertexKind::pcie_switch || to == VertexKind::cpu || to == VertexKind::gpu) continue;
    nics = link.bandwidth.bytes_per_second * 1e-9 * static_cast<double>(t.nics_per_node());
    break;
  }
  return std::min(inside, nics);
}

}  // namespace

NcclGraph nccl_graph(const Communicator& c) {
  const double channels = static_cast<double>(find_channels(c).size()) / 2;
  return {graph_bandwidth(c, channels), channels};
}

Choice choose_nccl(const Communicator& c, const NcclGraph& graph, CollectiveOp op, Bytes size) {
  Choice choice{&algorithm_by_name("ring"), 0, 0};
  if (op != CollectiveOp::all_reduce || c.size() < 2) return choice;
  const double n = c.size(), nodes = static_cast<double>(c.nodes.size());
  const double per_node = n / nodes;
  const double bytes = static_cast<double>(size.count);
  const bool nvlink = c.topology->nvlink_inside_node();
  const double channels = graph.channels, graph_bandwidth = graph.bandwidth;

  const double steps = 2 * (n - 1), network_steps = nodes > 1 ? 2 * (nodes - 1) : 0;
  const double post = nodes > 1 ? 3.0 : 0;  // NCCL_NET_OVERHEAD 1 us, three times for Simple
  double ring_latency = base_latency +
                        (steps - network_steps) * std::max(nvlink ? ring_nvlink : ring_pci, post) +
                        network_steps * ring_net;
  if (nodes > 1 && bytes / (2 * channels * n) >= 64)
    ring_latency *= c.architecture == Architecture::volta ? 1.9 : 1.4;
  const double ring_bandwidth = graph_bandwidth * n / steps;
  choice.ring_us = ring_latency + bytes / (1e3 * ring_bandwidth);

  const double tree_latency =
      base_latency + 2 * ((per_node - 1) * (nvlink ? tree_nvlink : tree_pci) +
                          std::floor(std::log2(nodes)) * tree_net);
  const auto column = std::min<std::size_t>(2, c.nodes.size() - 1);
  const double step = std::log2(std::max(1.0, bytes / 64));
  const double correction =
      step < tree_correction.size() ? tree_correction[static_cast<std::size_t>(step)] : 1.0;
  const double tree_bandwidth =
      .5 * correction *
      std::min(tree_share * graph_bandwidth, channels * tree_channel(c.architecture)[column]);
  choice.tree_us = tree_latency + bytes / (1e3 * tree_bandwidth);
  if (choice.tree_us < choice.ring_us) choice.algorithm = &algorithm_by_name("tree");
  return choice;
}

}  // namespace dsim
