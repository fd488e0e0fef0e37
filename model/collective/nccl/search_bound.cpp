#include <algorithm>
#include <limits>

#include "model/collective/nccl/channel_search.h"

namespace dsim {
namespace {

// How a channel may enter and leave through one NIC.
struct Passage {
  bool possible = false;
  bool over_nvlink = true;  // every way out takes NVLink to another GPU (PXN)
  int hops = std::numeric_limits<int>::max();
};

bool tree_like(const SearchGraph& wanted) {
  return wanted.pattern == ChannelPattern::tree || wanted.pattern == ChannelPattern::balanced_tree;
}

bool usable(const SearchGraph& wanted, const SearchPath& way, const SearchPath& back) {
  return way.type <= wanted.type_outside &&
         (!tree_like(wanted) || back.type <= wanted.type_outside);
}

Passage passage(const SearchMachine& m, const SearchGraph& wanted, int in, int out) {
  Passage result;
  const bool ring = wanted.pattern == ChannelPattern::ring;
  for (int first = 0; first < m.gpus; ++first) {
    const SearchPath& enter = m.from_nic(in, first);
    if (!usable(wanted, enter, m.to_nic(first, in))) continue;
    for (int last = 0; last < m.gpus; ++last) {
      // A ring leaves at another GPU than it entered at; a tree at its first.
      if (m.gpus > 1 && ring ? last == first : last != first) continue;
      const SearchPath& leave = m.to_nic(last, out);
      if (!usable(wanted, leave, m.from_nic(out, last))) continue;
      result.possible = true;
      result.over_nvlink = result.over_nvlink && ring && leave.type == PathType::pxn;
      result.hops =
          std::min(result.hops, static_cast<int>(enter.links.size() + leave.links.size()));
    }
  }
  return result;
}

// All that leaves a GPU for others of the node.
std::int64_t out_of(const SearchMachine& m, int gpu) {
  std::vector<std::int32_t> seen;
  std::int64_t sum = 0;
  for (int other = 0; other < m.gpus; ++other) {
    const SearchPath& path = m.between(gpu, other);
    if (path.links.empty() || std::find(seen.begin(), seen.end(), path.links[0]) != seen.end())
      continue;
    seen.push_back(path.links[0]);
    sum += m.links[static_cast<std::size_t>(path.links[0])].capacity;
  }
  return sum;
}

}  // namespace

SearchBound search_bound(const SearchMachine& m, const SearchGraph& wanted) {
  SearchBound bound{wanted.most_channels, 0};
  bool closed = m.nics == 0 && wanted.pattern == ChannelPattern::ring;
  if (m.nics > 0) {
    std::int64_t entries = 0;
    int fewest = std::numeric_limits<int>::max();
    closed = m.gpus > 1;
    for (int in = 0; in < m.nics; ++in) {
      bool possible = false;
      for (int out = 0; out < m.nics; ++out) {
        if (wanted.cross_nic == 0 && out != in) continue;
        const Passage way = passage(m, wanted, in, out);
        if (!way.possible) continue;
        possible = true;
        closed = closed && way.over_nvlink;
        fewest = std::min(fewest, way.hops);
      }
      if (possible) entries += m.nic_rate[static_cast<std::size_t>(in)] / wanted.outside;
    }
    bound.channels = std::min(bound.channels, entries);
    bound.hops = entries > 0 ? fewest : 0;
  }
  if (m.gpus == 1) return bound;
  // A channel leaves every GPU but its last over a link, a closed one leaves every GPU.
  std::int64_t ways = 0, least = bound.channels;
  int hops = std::numeric_limits<int>::max();
  for (int g = 0; g < m.gpus; ++g) {
    const std::int64_t out = out_of(m, g) / wanted.inside;
    ways += std::min(out, bound.channels);
    least = std::min(least, out);
    for (int other = 0; other < m.gpus; ++other)
      if (other != g && m.between(g, other).type <= wanted.type_inside)
        hops = std::min(hops, static_cast<int>(m.between(g, other).links.size()));
  }
  if (hops == std::numeric_limits<int>::max()) return {};
  bound.channels = closed ? least : std::min(bound.channels, ways / (m.gpus - 1));
  bound.hops += hops * (m.gpus - (m.nics == 0 && closed ? 0 : 1));
  return bound;
}

}  // namespace dsim
