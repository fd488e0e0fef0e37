#pragma once
#include <array>
#include <cstddef>

namespace dsim {

/// A measured table y(x), interpolated linearly in log(x) and clamped to its ends: an efficiency is
/// never extrapolated.
struct SizeCurve {
  static constexpr std::size_t points = 6;
  double first = 1;   ///< x of the first point
  double factor = 2;  ///< x of each point over that of the point before
  std::array<double, points> y{1, 1, 1, 1, 1, 1};

  double at(double x) const;
};

}  // namespace dsim
