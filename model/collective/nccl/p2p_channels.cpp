#include "model/collective/nccl/p2p_channels.h"

#include <algorithm>
#include <bit>

namespace dsim {
namespace {

int next_power_of_two(int value) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(1, value))));
}

// Two channels for each NVLink of the path; two over PCIe.
int inside_a_node(const SearchMachine& m, int from, int to) {
  const SearchPath& path = m.between(from, to);
  if (path.type != PathType::nvl) return 2;
  return 2 * std::max(1, path.rate / m.nvlink_rate);
}

// Its nearest NICs, until they bear what the GPU's PCIe link does.
std::pair<int, SearchRate> nics_by_rate(const SearchMachine& m, int gpu) {
  SearchRate sum = 0;
  int count = 0;
  for (const int nic : m.nics_of_gpu[static_cast<std::size_t>(gpu)]) {
    if (count > 0 && sum >= m.pcie_rate[static_cast<std::size_t>(gpu)]) break;
    sum += m.nic_rate[static_cast<std::size_t>(nic)];
    ++count;
  }
  return {count, sum};
}

int to_another_node(const SearchMachine& m, int gpu, int channels, std::uint32_t ranks,
                    const NcclVersion& version) {
  const auto [nics, rate] = nics_by_rate(m, gpu);
  const auto n = static_cast<std::int64_t>(ranks);
  if (version < NcclVersion{2, 29, 0}) {
    // Two, and fewer where all peers at once would put more than four on a channel.
    int most = 2;
    while (most > 1 && most * n > std::int64_t{4} * channels) most /= 2;
    return std::max(nics, most);
  }
  // 14 GB/s a channel (NCCL_P2P_PER_CHANNEL_NET_BW).
  int wanted = std::max({2, nics, (rate / 1'000 + 13) / 14});
  if (version >= NcclVersion{2, 30, 0}) {
    wanted = next_power_of_two(wanted);
    while (wanted > 1 && wanted * ((n + 7) / 8) > next_power_of_two(channels)) wanted /= 2;
  }
  return wanted;
}

}  // namespace

P2pChannels p2p_channels(int channels, std::uint32_t ranks, std::size_t nodes,
                         const std::vector<SearchMachine>& machines, const NcclVersion& version) {
  int least = channels;
  for (const SearchMachine& m : machines)
    for (int g = 0; g < m.gpus; ++g) {
      for (int to = 0; to < m.gpus; ++to)
        if (to != g) least = std::min(least, inside_a_node(m, g, to));
      if (nodes > 1 && m.nics > 0)
        least = std::min(least, to_another_node(m, g, channels, ranks, version));
    }
  P2pChannels result;
  result.all = next_power_of_two(channels);
  result.per_peer = std::min(next_power_of_two(least), result.all);
  return result;
}

}  // namespace dsim
