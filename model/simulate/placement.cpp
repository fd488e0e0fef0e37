#include "model/simulate/placement.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace dsim {

std::vector<std::uint32_t> place(Placement placement, const Topology& topology, std::size_t count,
                                 std::uint64_t seed) {
  std::vector<std::uint32_t> gpus(topology.gpu_count());
  std::iota(gpus.begin(), gpus.end(), 0u);
  const auto local = [&](std::uint32_t gpu) { return topology.local_index(GpuId{gpu}); };
  if (placement == Placement::scattered)
    std::stable_sort(gpus.begin(), gpus.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return local(a) < local(b); });
  if (placement == Placement::random) {
    // Fisher-Yates by hand: std::shuffle may draw differently in another library.
    std::mt19937_64 draw(seed);
    for (std::size_t i = gpus.size(); i > 1; --i) std::swap(gpus[i - 1], gpus[draw() % i]);
  }
  gpus.resize(count);
  // Ranks of a node stay together: launchers number them by node.
  if (placement != Placement::packed) std::sort(gpus.begin(), gpus.end());
  return gpus;
}

}  // namespace dsim
