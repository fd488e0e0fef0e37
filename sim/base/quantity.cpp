#include "sim/base/quantity.h"

#include <charconv>
#include <cmath>

#include "sim/base/quantity_units.h"

namespace dsim {
namespace {

constexpr double slowest_rate = 1;        // B/s; slower ones would exceed the range of Time
constexpr double fastest_rate = 1e18;     // B/s
constexpr double largest_count = 9.2e18;  // of picoseconds or bytes, below 2^63

/// A whole number for `value` >= 0, nearest but never 0 for more than 0; empty if out of range.
std::optional<std::int64_t> whole(double value) {
  if (!(value >= 0 && value <= largest_count)) return std::nullopt;
  const double nearest = std::round(value);
  return static_cast<std::int64_t>(nearest == 0 && value > 0 ? 1 : nearest);
}

}  // namespace

std::optional<NumberWithUnit> split_quantity(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  NumberWithUnit result;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.number);
  if (error != std::errc() || !std::isfinite(result.number)) return std::nullopt;
  if (end[-1] == '.') return std::nullopt;
  result.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (result.unit.starts_with(' ')) result.unit.remove_prefix(1);
  return result;
}

std::optional<double> prefix_factor(std::string_view prefix) {
  if (prefix.empty()) return 1;
  if (prefix == "k") return 1e3;
  if (prefix == "M") return 1e6;
  if (prefix == "G") return 1e9;
  if (prefix == "T") return 1e12;
  if (prefix == "Ki") return std::ldexp(1, 10);
  if (prefix == "Mi") return std::ldexp(1, 20);
  if (prefix == "Gi") return std::ldexp(1, 30);
  if (prefix == "Ti") return std::ldexp(1, 40);
  return std::nullopt;
}

std::optional<double> picoseconds_in(std::string_view unit) {
  if (unit == "ps") return 1;
  if (unit == "ns") return 1e3;
  if (unit == "us") return 1e6;
  if (unit == "ms") return 1e9;
  if (unit == "s") return 1e12;
  if (unit == "min") return 60e12;
  if (unit == "h") return 3600e12;
  return std::nullopt;
}

std::optional<Bandwidth> parse_bandwidth(std::string_view text) {
  const auto quantity = split_quantity(text);
  if (!quantity) return std::nullopt;
  std::string_view unit = quantity->unit;
  const bool bits = unit.ends_with("b/s");
  if (!bits && !unit.ends_with("B/s")) return std::nullopt;
  unit.remove_suffix(3);
  const auto factor = prefix_factor(unit);
  if (!factor) return std::nullopt;
  const double rate = quantity->number * *factor / (bits ? 8 : 1);
  if (rate != 0 && !(rate >= slowest_rate && rate <= fastest_rate)) return std::nullopt;
  return Bandwidth{rate};
}

std::optional<Time> parse_time(std::string_view text) {
  const auto quantity = split_quantity(text);
  if (!quantity) return std::nullopt;
  const auto factor = picoseconds_in(quantity->unit);
  if (!factor) return std::nullopt;
  const auto ps = whole(quantity->number * *factor);
  return ps ? std::optional(Time{*ps}) : std::nullopt;
}

std::optional<Bytes> parse_bytes(std::string_view text) {
  const auto quantity = split_quantity(text);
  if (!quantity || !quantity->unit.ends_with('B')) return std::nullopt;
  const auto factor = prefix_factor(quantity->unit.substr(0, quantity->unit.size() - 1));
  if (!factor) return std::nullopt;
  const auto count = whole(quantity->number * *factor);
  return count ? std::optional(Bytes{*count}) : std::nullopt;
}

}  // namespace dsim
