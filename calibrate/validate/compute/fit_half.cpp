#include "calibrate/validate/compute/fit_half.h"

#include <initializer_list>

namespace dsim {
namespace {

constexpr std::uint64_t seed = 20240611;

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

bool in_fit_half(std::int64_t m, std::int64_t n, std::int64_t k) {
  std::uint64_t hash = seed;
  for (const std::int64_t size : {m, n, k})
    hash = mix(hash + 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(size));
  return (hash & 1) != 0;
}

}  // namespace dsim
