#include "model/collective/nccl/search_speeds.h"

#include <array>
#include <cmath>

namespace dsim {
namespace {

// NVIDIA/nccl src/graph/search.cc: up to 2.9 one table; 2.10 to 2.14 with 22 GB/s NVLinks; from
// 2.15 with 20 GB/s; its own tables for Hopper and Blackwell.
constexpr std::array<SearchRate, 17> first{42'000, 24'000, 21'000, 18'000, 15'000, 12'000,
                                           10'000, 9'000,  7'000,  6'000,  5'000,  4'000,
                                           3'000,  2'400,  1'200,  240,    120};
constexpr std::array<SearchRate, 13> inside_22{44'000, 30'000, 22'000, 18'000, 15'000,
                                               12'000, 10'000, 9'000,  7'000,  6'000,
                                               5'000,  4'000,  3'000};
constexpr std::array<SearchRate, 18> nics_22{48'000, 30'000, 24'000, 22'000, 18'000, 15'000,
                                             12'000, 10'000, 9'000,  7'000,  6'000,  5'000,
                                             4'000,  3'000,  2'400,  1'200,  240,    120};
constexpr std::array<SearchRate, 13> inside_20{40'000, 30'000, 20'000, 18'000, 15'000,
                                               12'000, 10'000, 9'000,  7'000,  6'000,
                                               5'000,  4'000,  3'000};
constexpr std::array<SearchRate, 19> nics_20{48'000, 30'000, 28'000, 24'000, 20'000, 18'000, 15'000,
                                             12'000, 10'000, 9'000,  7'000,  6'000,  5'000,  4'000,
                                             3'000,  2'400,  1'200,  240,    120};
constexpr std::array<SearchRate, 11> inside_hopper{60'000, 50'000, 40'000, 30'000, 24'000, 20'000,
                                                   15'000, 12'000, 11'000, 6'000,  3'000};
constexpr std::array<SearchRate, 17> nics_hopper{48'000, 45'000, 42'000, 40'000, 30'000, 24'000,
                                                 22'000, 20'000, 17'500, 15'000, 12'000, 6'000,
                                                 3'000,  2'400,  1'200,  240,    120};
constexpr std::array<SearchRate, 12> inside_blackwell{
    90'000, 80'000, 70'000, 60'000, 50'000, 45'000, 40'000, 30'000, 24'000, 20'000, 19'000, 18'000};
constexpr std::array<SearchRate, 20> nics_blackwell{
    96'000, 86'000, 80'000, 48'000, 45'100, 42'000, 40'000, 30'000, 24'000, 22'000,
    20'000, 17'500, 15'000, 12'000, 6'000,  3'000,  2'400,  1'200,  240,    120};

}  // namespace

std::span<const SearchRate> channel_speeds(int compute, bool through_nics,
                                           const NcclVersion& version) {
  if (compute >= 100)
    return through_nics ? std::span<const SearchRate>(nics_blackwell)
                        : std::span<const SearchRate>(inside_blackwell);
  if (compute >= 90)
    return through_nics ? std::span<const SearchRate>(nics_hopper)
                        : std::span<const SearchRate>(inside_hopper);
  if (version < NcclVersion{2, 10, 0}) return first;
  if (version < NcclVersion{2, 15, 0})
    return through_nics ? std::span<const SearchRate>(nics_22)
                        : std::span<const SearchRate>(inside_22);
  return through_nics ? std::span<const SearchRate>(nics_20)
                      : std::span<const SearchRate>(inside_20);
}

SearchRate nvlink_rate(int compute, const NcclVersion& version) {
  // NVIDIA/nccl src/graph/topo.h at the tags.
  if (compute >= 100) return 40'100;
  if (compute >= 90) return 20'600;
  if (compute == 89 || compute == 86) return 12'000;
  if (version < NcclVersion{2, 10, 0}) return 21'000;
  if (version < NcclVersion{2, 15, 0}) return 22'000;
  return 20'000;
}

SearchRate pcie_rate(Bandwidth nominal) {
  // width * speed / 80 with speed 60, 120, 240, 480 (topo.cc): 12 of the 15.75 GB/s of generation 3
  // x16. The nearest power of two of 12 where the file's figure is one of PCIe's.
  const double exact = nominal.bytes_per_second * 1e-6 * 12.0 / 15.75;
  const double step = 12'000 * std::exp2(std::round(std::log2(exact / 12'000)));
  return static_cast<SearchRate>(std::lround(std::abs(exact / step - 1) < .1 ? step : exact));
}

int most_channels(const NcclVersion& version) {
  // MAXCHANNELS of src/include: 32, and 64 in the later releases (taken from 2.22 on).
  return version < NcclVersion{2, 22, 0} ? 32 : 64;
}

}  // namespace dsim
