#include <algorithm>

#include "model/collective/nccl/channel_search.h"

namespace dsim {
namespace {

constexpr int never = 1 << 20;

// Fewest hops over some GPUs, and fewest without the best of them.
struct Fewest {
  int hops = never, gpu = -1, other = never;
  int count = 0;
  void add(int g, int h) {
    ++count;
    if (h < hops) {
      other = hops;
      hops = h;
      gpu = g;
    } else {
      other = std::min(other, h);
    }
  }
  int without(int g) const { return g == gpu ? other : hops; }
};

// How a channel may enter and leave.
struct Passage {
  int hops = never;
  bool over_nvlink = true;  // every way out takes NVLink to another GPU (PXN)
};

bool tree_like(const SearchGraph& wanted) {
  return wanted.pattern == ChannelPattern::tree || wanted.pattern == ChannelPattern::balanced_tree;
}

bool usable(const SearchGraph& wanted, const SearchPath& way, const SearchPath& back) {
  return way.type <= wanted.type_outside &&
         (!tree_like(wanted) || back.type <= wanted.type_outside);
}

// In at one NIC and out at another (-1: at any).
Passage passage(const SearchMachine& m, const SearchGraph& wanted, int in, int out) {
  Passage result;
  const bool ring = wanted.pattern == ChannelPattern::ring;
  Fewest enter, leave, direct;
  for (int g = 0; g < m.gpus; ++g) {
    const SearchPath& way = m.from_nic(in, g);
    if (usable(wanted, way, m.to_nic(g, in))) enter.add(g, static_cast<int>(way.links.size()));
    int fewest = never, without_relay = never;
    for (int nic = out < 0 ? 0 : out; nic < (out < 0 ? m.nics : out + 1); ++nic) {
      const SearchPath& back = m.to_nic(g, nic);
      if (!usable(wanted, back, m.from_nic(nic, g))) continue;
      fewest = std::min(fewest, static_cast<int>(back.links.size()));
      if (back.type != PathType::pxn) without_relay = 0;
    }
    if (fewest < never) leave.add(g, fewest);
    if (without_relay < never) direct.add(g, 0);
  }
  // A ring leaves at another GPU than it entered at.
  const auto joined = [&](const Fewest& last) {
    if (enter.count == 0 || last.count == 0) return +never;
    if (!ring || m.gpus == 1) return enter.hops + last.hops;
    return std::min(
        {enter.hops + last.without(enter.gpu), enter.without(last.gpu) + last.hops, +never});
  };
  result.hops = joined(leave);
  result.over_nvlink = ring && joined(direct) >= never;
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
    int fewest = never;
    closed = m.gpus > 1;
    for (int in = 0; in < m.nics; ++in) {
      const Passage way = passage(m, wanted, in, wanted.cross_nic == 0 ? in : -1);
      if (way.hops >= never) continue;
      closed = closed && way.over_nvlink;
      fewest = std::min(fewest, way.hops);
      entries += m.nic_rate[static_cast<std::size_t>(in)] / wanted.outside;
    }
    bound.channels = std::min(bound.channels, entries);
    bound.hops = entries > 0 ? fewest : 0;
  }
  if (m.gpus == 1) return bound;
  // A channel leaves every GPU but its last over a link, a closed one leaves every GPU.
  std::int64_t ways = 0, least = bound.channels;
  int hops = never;
  for (int g = 0; g < m.gpus; ++g) {
    const std::int64_t out = out_of(m, g) / wanted.inside;
    ways += std::min(out, bound.channels);
    least = std::min(least, out);
    for (int other = 0; other < m.gpus; ++other)
      if (other != g && m.between(g, other).type <= wanted.type_inside)
        hops = std::min(hops, static_cast<int>(m.between(g, other).links.size()));
  }
  if (hops == never) return {};
  bound.channels = closed ? least : std::min(bound.channels, ways / (m.gpus - 1));
  bound.hops += hops * (m.gpus - (m.nics == 0 && closed ? 0 : 1));
  return bound;
}

}  // namespace dsim
