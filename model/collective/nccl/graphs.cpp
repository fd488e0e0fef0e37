#include "model/collective/nccl/graphs.h"

#include <algorithm>
#include <map>

#include "model/collective/nccl/p2p_channels.h"
#include "model/collective/nccl/search.h"
#include "model/collective/nccl/search_speeds.h"
#include "sim/base/error.h"
#include "sim/network/cluster_topology.h"

namespace dsim {
namespace {

constexpr std::size_t most_of_one_box = 16;  // DGX-2

// Nodes that look alike to the search, and its results on each kind.
struct NodeKinds {
  std::vector<SearchMachine> machines;
  std::vector<std::size_t> kind_of;               // by node of the communicator
  std::vector<std::vector<std::uint32_t>> ranks;  // by node: rank of each GPU of the machine
};

NodeKinds find_kinds(const Communicator& c, const NcclSettings& settings) {
  NodeKinds kinds;
  std::map<std::pair<const NodeType*, std::vector<std::size_t>>, std::size_t> known;
  for (std::size_t node = 0; node < c.nodes.size(); ++node) {
    std::vector<std::pair<std::size_t, std::uint32_t>> members;
    for (const std::uint32_t rank : c.nodes[node])
      members.emplace_back(c.topology->local_index(c.gpus[rank]), rank);
    std::sort(members.begin(), members.end());
    std::vector<std::size_t> indices;
    kinds.ranks.emplace_back();
    for (const auto& [index, rank] : members) {
      indices.push_back(index);
      kinds.ranks.back().push_back(rank);
    }
    const auto [entry, added] = known.try_emplace({&node_type_of(c, node), indices}, 0);
    if (added) {
      SearchMachine machine = search_machine(c, node, settings);
      const auto same = std::find(kinds.machines.begin(), kinds.machines.end(), machine);
      entry->second = static_cast<std::size_t>(same - kinds.machines.begin());
      if (same == kinds.machines.end()) kinds.machines.push_back(std::move(machine));
    }
    kinds.kind_of.push_back(entry->second);
  }
  return kinds;
}

std::vector<SearchGraph> search_all(const NodeKinds& kinds, const SearchRequest& request,
                                    const NcclSettings& settings) {
  std::vector<SearchGraph> found;
  for (const SearchMachine& machine : kinds.machines)
    found.push_back(search_graph(machine, request, settings));
  return found;
}

// The graph all nodes agree on: least of channels and speeds, worst of classes (init.cc).
NcclGraph agreed(const NodeKinds& kinds, const std::vector<SearchGraph>& found) {
  SearchGraph all = found.front();
  for (const SearchGraph& g : found) {
    all.channels = std::min(all.channels, g.channels);
    all.inside = std::min(all.inside, g.inside);
    all.outside = std::min(all.outside, g.outside);
    all.type_inside = std::max(all.type_inside, g.type_inside);
    all.type_outside = std::max(all.type_outside, g.type_outside);
    all.same_channels = all.same_channels && g.same_channels;
    if (g.pattern == ChannelPattern::tree) all.pattern = g.pattern;
  }
  const int compute = kinds.machines.front().compute;
  NcclGraph graph;
  graph.channels = all.channels;
  graph.bw_intra = all.inside * 1e-3;
  graph.bw_inter = all.outside * 1e-3;
  graph.nvlink = all.type_inside == PathType::nvl;
  graph.same_channels = all.same_channels;
  // tuning.cc: NVLink inside; to NICs without a CPU, over another GPU from Hopper on.
  graph.ll128 = compute >= 70 && all.type_inside <= PathType::nvb &&
                all.type_outside <= (compute >= 90 ? PathType::pxn : PathType::pxb);
  // The plain pattern's x .85: published tables of H100 on 2, 4 and 8 nodes leave the tree at 1, 2 and
  // 8 MiB, which the estimate gives only without it.
  graph.tree_pattern = all.pattern == ChannelPattern::tree && compute < 90;
  return graph;
}

// The ways of the channels through all nodes. Where rings leave by other NICs than they entered,
// odd nodes take the channels of a pair in turn, so that rails stay in line (connect.cc).
void add_paths(const NodeKinds& kinds, const std::vector<SearchGraph>& found, bool ring,
               NcclGraph& graph) {
  const bool crossing = ring && graph.channels % 2 == 0 &&
                        std::any_of(found.begin(), found.end(),
                                    [](const SearchGraph& g) { return g.cross_nic == 2; });
  graph.paths.resize(static_cast<std::size_t>(graph.channels));
  for (int c = 0; c < graph.channels; ++c) {
    ChannelPath& path = graph.paths[static_cast<std::size_t>(c)];
    const SearchGraph& here = found[kinds.kind_of.front()];
    const SearchMachine& machine = kinds.machines[kinds.kind_of.front()];
    if (machine.nics > 0)
      path.rail = static_cast<std::uint32_t>(
          machine.nic_index[static_cast<std::size_t>(here.nics[static_cast<std::size_t>(c) * 2])]);
    path.node_orders.reserve(kinds.kind_of.size());
    for (std::size_t node = 0; node < kinds.kind_of.size(); ++node) {
      const auto& ranks = kinds.ranks[node];
      const int channel = crossing && node % 2 == 1 ? c ^ 1 : c;
      const int* order =
          &found[kinds.kind_of[node]].order[static_cast<std::size_t>(channel) * ranks.size()];
      std::vector<std::uint32_t> ways(ranks.size());
      for (std::size_t i = 0; i < ranks.size(); ++i)
        ways[i] = ranks[static_cast<std::size_t>(order[i])];
      path.node_orders.push_back(std::move(ways));
    }
  }
}

bool nvls_possible(const NodeKinds& kinds, const NcclSettings& settings) {
  // NVIDIA/nccl src/transport/nvls.cc: multicast since 2.17, more than two GPUs in a node.
  return settings.version >= NcclVersion{2, 17, 0} && settings.nvls_enable.value_or(true) &&
         !settings.p2p_disable.value_or(false) &&
         std::all_of(kinds.machines.begin(), kinds.machines.end(), [](const SearchMachine& m) {
           return m.nvswitch && m.compute >= 90 && m.gpus > 2;
         });
}

int channels_of_nvls(int compute, std::size_t nodes, const NcclSettings& settings) {
  // nvls.cc: 16 on Hopper; on Blackwell 24 in one NVLink domain, 32 over several (from 2.25).
  const bool blackwell = compute >= 100 && settings.version >= NcclVersion{2, 25, 0};
  const int wanted = !blackwell ? 16 : nodes == 1 ? 24 : 32;
  const int most = settings.max_ctas.value_or(most_channels(settings.version));
  return std::max(settings.min_ctas.value_or(1), std::min(most, wanted));
}

// Channels of the collectives from those of the search (connect.cc ncclTopoPostset).
int connected_channels(const Communicator& c, const NcclGraphs& graphs,
                       const NcclSettings& settings, int compute) {
  const int most = most_channels(settings.version);
  int channels = std::min(most, 2 * graphs.ring.channels);
  if (graphs.collnet_chain.channels > 0 && c.size() > c.nodes.size() &&
      graphs.collnet_chain.bw_intra > graphs.collnet_chain.bw_inter)
    channels = std::min(most, channels + channels / 2);
  // Nodes with few GPUs need more CTAs for one NIC's rate.
  if (compute >= 90 && c.nodes.size() > 1 && graphs.ring.bw_intra > 45 && channels < 16)
    channels *= 2;
  // Packets of GPUDirect-TCPX are unpacked by the GPU, which needs more CTAs (from 2.20).
  if (node_type_of(c, 0).nic_spec.kind == LinkKind::tcpx && c.nodes.size() > 1 && channels < 16 &&
      settings.version >= NcclVersion{2, 20, 0})
    channels *= 2;
  const int limit = std::clamp(settings.max_channels.value_or(most), 1, most);
  channels = std::min({channels, limit, std::max(1, settings.max_ctas.value_or(most))});
  const int least =
      std::min(std::max(settings.min_channels.value_or(0), settings.min_ctas.value_or(1)), limit);
  return std::max(channels, least);
}

}  // namespace

NcclGraphs find_nccl_graphs(const Communicator& c, const NcclSettings& settings) {
  require(c.size() > 0, "a communicator has at least one rank");
  const NodeKinds kinds = find_kinds(c, settings);
  const int compute = kinds.machines.front().compute;
  const int most = most_channels(settings.version);

  NcclGraphs graphs;
  const auto rings = search_all(kinds, {ChannelPattern::ring, 1, most / 2, false}, settings);
  graphs.ring = agreed(kinds, rings);
  const int same = graphs.ring.channels;
  const auto trees =
      search_all(kinds, {ChannelPattern::balanced_tree, same, same, false}, settings);
  graphs.tree = agreed(kinds, trees);
  graphs.ring.channels = graphs.tree.channels = std::min(same, graphs.tree.channels);
  add_paths(kinds, rings, true, graphs.ring);
  add_paths(kinds, trees, false, graphs.tree);

  const bool several = c.nodes.size() > 1;
  if (settings.collnet_enable.value_or(false) && several) {
    graphs.collnet_chain =
        agreed(kinds, search_all(kinds, {ChannelPattern::tree, same, same, true}, settings));
    // device.h: at most 8 GPUs exchange directly.
    if (std::all_of(kinds.machines.begin(), kinds.machines.end(),
                    [](const SearchMachine& m) { return m.gpus <= 8; }))
      graphs.collnet_direct = agreed(
          kinds, search_all(kinds, {ChannelPattern::collnet_direct, 1, most, true}, settings));
  }
  // On NVSwitches the ring's and the tree's channels differ: broadcasts of 16 MiB and more run LL128
  // on A100 (nccl-tests tables), which the estimate gives only so.
  if (c.topology->has_nvswitch()) graphs.ring.same_channels = false;
  graphs.channels = connected_channels(c, graphs, settings, compute);

  if (nvls_possible(kinds, settings)) {
    graphs.nvls =
        agreed(kinds, search_all(kinds, {ChannelPattern::nvls, 1, most, false}, settings));
    if (graphs.nvls.channels > 0)
      graphs.nvls_channels = channels_of_nvls(compute, c.nodes.size(), settings);
    // Between NVLink domains of several trays (NVL72) NCCL was not seen to run NVLS-tree
    // (docs/nccl-graphs.md).
    const bool trays = c.topology->gpus_per_node() > most_of_one_box;
    graphs.nvls_tree = graphs.nvls.channels > 0 && several && !trays &&
                       settings.version >= NcclVersion{2, 18, 0};
  }
  graphs.pat = several && c.size() == c.nodes.size() && settings.version >= NcclVersion{2, 23, 0};

  const P2pChannels p2p = p2p_channels(std::max(graphs.channels, graphs.nvls_channels), c.size(),
                                       c.nodes.size(), kinds.machines, settings.version);
  graphs.p2p_channels = p2p.all;
  graphs.p2p_channels_per_peer = p2p.per_peer;
  return graphs;
}

}  // namespace dsim
