#pragma once
// The constants of the models as plain data: each with its uncertainty, source and range. Whoever
// fits or loads other values (dsim.calibration/1) changes these and no code.
#include <functional>
#include <string>
#include <string_view>

namespace dsim {

/// How well a constant is known, best first.
enum class Level { measured, fitted, published, assumed };

std::string_view name_of(Level level);

/// A model constant. `sigma` is its relative standard deviation (0.05 = 5 %).
struct Constant {
  double value = 0;
  double sigma = 0;
  Level level = Level::assumed;
  std::string_view source;  ///< citation: paper, repository and file, or measured table
  std::string_view range;   ///< where it holds; empty = everywhere

  constexpr operator double() const { return value; }
};

/// Visits the constants of a group by name; `Constant&` may be changed (elasticities do).
using ConstantVisitor = std::function<void(std::string_view name, Constant& constant)>;

}  // namespace dsim
