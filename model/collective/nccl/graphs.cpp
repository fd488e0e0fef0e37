#include "model/collective/nccl/graphs.h"

#include <algorithm>

#include "model/collective/mesh_rings.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

// Rotates `order` so that it starts at the rank that sits at `rail`, if there is one.
void start_at_rail(const Communicator& c, std::uint32_t rail, std::vector<std::uint32_t>& order) {
  const auto head = std::find_if(order.begin(), order.end(), [&](std::uint32_t rank) {
    const auto nics = c.topology->nics_of(c.gpus[rank]);
    return std::find(nics.begin(), nics.end(), rail) != nics.end();
  });
  if (head != order.end()) std::rotate(order.begin(), head, order.end());
}

std::vector<std::uint32_t> at_rail(const Communicator& c, std::uint32_t rail,
                                   const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t rank : ranks) {
    const auto nics = c.topology->nics_of(c.gpus[rank]);
    if (std::find(nics.begin(), nics.end(), rail) != nics.end()) result.push_back(rank);
  }
  return result;
}

// An order of the ranks of one node as the same order of another node's ranks.
std::vector<std::uint32_t> moved(const std::vector<std::uint32_t>& order,
                                 const std::vector<std::uint32_t>& from,
                                 const std::vector<std::uint32_t>& to) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t rank : order)
    result.push_back(
        to[static_cast<std::size_t>(std::find(from.begin(), from.end(), rank) - from.begin())]);
  return result;
}

std::uint32_t channel_count(const Communicator& c, std::size_t mesh_rings) {
  const Topology& t = *c.topology;
  if (c.nodes.size() > 1) {
    const bool one_each = c.size() == c.nodes.size();
    const auto nics = static_cast<std::uint32_t>(std::max<std::size_t>(1, t.nics_per_node()));
    if (one_each || !t.nvlink_inside_node()) return 2;
    return std::min(64u, 2 * nics);
  }
  if (t.has_nvswitch()) return c.architecture == Architecture::blackwell ? 32 : 24;
  return mesh_rings > 0 ? static_cast<std::uint32_t>(2 * mesh_rings) : 2;
}

}  // namespace

namespace {

std::vector<ChannelPath> find_channels(const Communicator& c) {
  require(c.size() > 0, "a communicator has at least one rank");
  // The rings of a mesh differ from channel to channel, so that every NVLink is used.
  std::vector<std::vector<std::vector<std::uint32_t>>> rings(c.nodes.size());
  std::size_t mesh = 0;
  if (!c.topology->has_nvswitch() && c.topology->nvlink_inside_node())
    for (std::size_t node = 0; node < c.nodes.size(); ++node) {
      if (node > 0 && c.nodes[node].size() == c.nodes[0].size()) {
        // Nodes are alike: the same rings, moved to this node's ranks.
        for (const auto& ring : rings[0])
          rings[node].push_back(moved(ring, c.nodes[0], c.nodes[node]));
      } else {
        rings[node] = mesh_rings(c, c.nodes[node]);
      }
      mesh = node == 0 ? rings[node].size() : std::min(mesh, rings[node].size());
    }

  const std::uint32_t count = channel_count(c, mesh);
  const auto rails =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, c.topology->nics_per_node()));
  std::vector<ChannelPath> channels(count);
  std::vector<std::vector<std::uint32_t>> ways(count);  // through node 0; the others are alike
  std::vector<std::vector<double>> used;
  for (std::uint32_t i = 0; i < count; ++i) {
    channels[i].rail = i % rails;
    for (std::size_t node = 0; node < c.nodes.size(); ++node) {
      auto order = mesh > 0 ? rings[node][i % mesh] : c.nodes[node];
      if (c.nodes.size() > 1) start_at_rail(c, channels[i].rail, order);
      if (c.nodes.size() > 1 && mesh > 0) {
        // A node is entered and left at the same NIC where a way over NVLink allows it.
        auto& way = ways[i];
        if (node == 0)
          way = mesh_path(c, c.nodes[0], at_rail(c, channels[i].rail, c.nodes[0]), used);
        if (!way.empty() && c.nodes[node].size() == c.nodes[0].size())
          order = moved(way, c.nodes[0], c.nodes[node]);
      }
      channels[i].node_orders.push_back(std::move(order));
    }
  }
  return channels;
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

NcclGraphs find_nccl_graphs(const Communicator& c, const NcclSettings&) {
  NcclGraphs graphs;
  graphs.ring.paths = find_channels(c);
  graphs.channels = static_cast<int>(graphs.ring.paths.size());
  graphs.ring.channels = std::max(1, graphs.channels / 2);
  const double total = graph_bandwidth(c, graphs.ring.channels);
  graphs.ring.bw_intra = graphs.ring.bw_inter = total / graphs.ring.channels;
  graphs.ring.nvlink = c.topology->nvlink_inside_node();
  graphs.tree = graphs.ring;
  graphs.p2p_channels = graphs.channels;
  graphs.p2p_channels_per_peer = 2;
  return graphs;
}

}  // namespace dsim
