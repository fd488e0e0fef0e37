#pragma once
// The grammar of quantities, shared by the files quantity*.cpp.
#include <optional>
#include <string_view>

namespace dsim {

/// A finite number >= 0 and what follows it (one space between them is dropped).
struct NumberWithUnit {
  double number = 0;
  std::string_view unit;
};
/// Empty if the text does not begin with a digit or the number is not finite.
std::optional<NumberWithUnit> split_quantity(std::string_view text);

/// 1, 1e3 for "k", 1024 for "Ki", ...; empty for anything else.
std::optional<double> prefix_factor(std::string_view prefix);

/// Picoseconds in "ps", "ns", "us", "ms", "s", "min", "h"; empty for anything else.
std::optional<double> picoseconds_in(std::string_view unit);

}  // namespace dsim
