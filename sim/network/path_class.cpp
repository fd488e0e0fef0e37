#include "sim/network/path_class.h"

#include <array>
#include <cctype>
#include <cmath>
#include <string>

namespace dsim {
namespace {

constexpr std::array<std::string_view, path_class_count> names{
    "loc", "nvl", "nvb", "c2c", "pix", "pxb", "p2c", "pxn", "phb", "sys", "net", "dis"};

}  // namespace

std::string_view name_of(PathClass path_class) {
  return names[static_cast<std::size_t>(path_class)];
}

std::optional<PathClass> path_class_named(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == lower) return static_cast<PathClass>(i);
  return std::nullopt;
}

PcieLink pcie_link(Bandwidth nominal) {
  // GB/s of a lane: 2.5 and 5 GT/s with 8b/10b, 8 to 32 GT/s with 128b/130b, 64 GT/s with flits
  // (PCI-SIG).
  constexpr std::array lane{.25, .5, 8 / 8.125, 16 / 8.125, 32 / 8.125, 7.5625};
  PcieLink best;
  double error = 0.08;  // files round: 15.75, 31.5, 63, 121 GB/s
  for (const int width : {16, 8, 4, 2, 1})
    for (std::size_t g = 0; g < lane.size(); ++g) {
      const double off = std::abs(nominal.bytes_per_second / (lane[g] * width * 1e9) - 1);
      if (off < error - 1e-3) {
        best = {static_cast<int>(g) + 1, width};
        error = off;
      }
    }
  return best;
}

}  // namespace dsim
