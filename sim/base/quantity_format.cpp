#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/quantity.h"

namespace dsim {
namespace {

constexpr const char* minus = "\xe2\x88\x92";  // U+2212

/// "inf" or "nan", with unit; empty for finite values.
std::string not_finite(double value, const char* unit) {
  if (std::isfinite(value)) return {};
  if (std::isnan(value)) return "nan" + std::string(unit);
  return (value < 0 ? minus : "") + ("inf" + std::string(unit));
}

int decimals_for(double magnitude, int above_hundred) {
  return magnitude >= 100 ? above_hundred : magnitude >= 10 ? 1 : 2;
}

/// The value of digits printed before; unlike strtod it does not read a comma in some locales.
double value_of(std::string_view digits) {
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Rounded to three figures (four from 100 on if `above_hundred` is 1), decided after rounding:
/// 9.996 is "10.0".
std::string rounded(double magnitude, int above_hundred) {
  const int decimals = decimals_for(magnitude, above_hundred);
  const double scale = std::pow(10, decimals);
  const double value = std::round(magnitude * scale) / scale;
  return fmt::format("{:.{}f}", value, decimals_for(value, above_hundred));
}

std::string without_zeros(std::string digits) {
  if (digits.find('.') == std::string::npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return digits;
}

struct Scale {
  const char* unit;
  double size;
};

/// `value` in the largest unit that leaves at least 1 after rounding.
std::string scaled(double value, std::span<const Scale> scales, int above_hundred,
                   bool keep_zeros) {
  const double magnitude = std::abs(value);
  std::size_t i = 0;
  while (i + 1 < scales.size()) {
    const double next = scales[i + 1].size / scales[i].size;
    if (value_of(rounded(magnitude / scales[i].size, above_hundred)) < next) break;
    ++i;
  }
  std::string digits = rounded(magnitude / scales[i].size, above_hundred);
  if (value_of(digits) == 0) return fmt::format("0{}", scales[0].unit);
  if (!keep_zeros) digits = without_zeros(std::move(digits));
  return fmt::format("{}{}{}", value < 0 ? minus : "", digits, scales[i].unit);
}

/// From two minutes on: two units, the smaller one left out where it is 0.
std::string long_time(double seconds) {
  const char* sign = seconds < 0 ? minus : "";
  const double magnitude = std::abs(seconds);
  if (magnitude > 1e15) return fmt::format("{}{:.3g} d", sign, magnitude / 86400);
  struct Pair {
    std::int64_t large, small;
    const char *large_unit, *small_unit;
    std::int64_t below;
  };
  for (const Pair& pair : {Pair{60, 1, "min", "s", 7200}, Pair{3600, 60, "h", "min", 172800},
                           Pair{86400, 3600, "d", "h", 0}}) {
    const std::int64_t count = std::llround(magnitude / static_cast<double>(pair.small));
    if (pair.below != 0 && count * pair.small >= pair.below) continue;
    const std::int64_t ratio = pair.large / pair.small;
    const std::string text = fmt::format("{}{} {}", sign, count / ratio, pair.large_unit);
    return count % ratio == 0 ? text : text + fmt::format(" {} {}", count % ratio, pair.small_unit);
  }
  return {};
}

std::string with_commas(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t i = point; i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace

std::string format_time(double seconds) {
  if (!std::isfinite(seconds)) return not_finite(seconds, " s");
  if (std::abs(seconds) >= 119.95) return long_time(seconds);
  constexpr Scale scales[] = {
      {" ps", 1e-12}, {" ns", 1e-9}, {" us", 1e-6}, {" ms", 1e-3}, {" s", 1}};
  const std::string text = scaled(seconds, scales, 1, true);
  return text == "0 ps" ? "0 s" : text;
}

std::string format_bytes(double bytes) {
  if (!std::isfinite(bytes)) return not_finite(bytes, " B");
  constexpr Scale scales[] = {{" B", 1},     {" kB", 1e3},  {" MB", 1e6}, {" GB", 1e9},
                              {" TB", 1e12}, {" PB", 1e15}, {" EB", 1e18}};
  return scaled(bytes, scales, 0, false);
}

std::string format_binary_bytes(double bytes) {
  if (!std::isfinite(bytes)) return not_finite(bytes, " B");
  constexpr Scale scales[] = {{" B", 1},        {" KiB", 0x1p10}, {" MiB", 0x1p20},
                              {" GiB", 0x1p30}, {" TiB", 0x1p40}, {" PiB", 0x1p50},
                              {" EiB", 0x1p60}};
  return scaled(bytes, scales, 0, false);
}

std::string format_bandwidth_bits(Bandwidth rate) {
  const double bits = rate.bytes_per_second * 8;
  if (!std::isfinite(bits)) return not_finite(bits, " b/s");
  constexpr Scale scales[] = {{" b/s", 1},    {" kb/s", 1e3},  {" Mb/s", 1e6},
                              {" Gb/s", 1e9}, {" Tb/s", 1e12}, {" Pb/s", 1e15}};
  return scaled(bits, scales, 0, false);
}

std::string format_bandwidth_bytes(Bandwidth rate) {
  if (!std::isfinite(rate.bytes_per_second)) return not_finite(rate.bytes_per_second, " B/s");
  constexpr Scale scales[] = {{" B/s", 1},    {" kB/s", 1e3},  {" MB/s", 1e6},
                              {" GB/s", 1e9}, {" TB/s", 1e12}, {" PB/s", 1e15}};
  return scaled(rate.bytes_per_second, scales, 0, false);
}

std::string format_percent(double fraction) {
  if (!std::isfinite(fraction)) return not_finite(fraction, " %");
  const double percent = std::abs(fraction) * 100;
  std::string digits = fmt::format("{:.1f}", percent);
  if (percent < 0.0995) digits = without_zeros(fmt::format("{:.3f}", percent));
  if (percent >= 999.95) digits = with_commas(fmt::format("{:.0f}", percent));
  if (value_of(digits) == 0) return "0 %";
  return fmt::format("{}{} %", fraction < 0 ? minus : "", digits);
}

std::string format_count(double value) {
  if (!std::isfinite(value)) return not_finite(value, "");
  const double magnitude = std::abs(value);
  std::string digits;
  if (magnitude == std::floor(magnitude)) {
    digits = fmt::format("{:.0f}", magnitude);
  } else {
    digits = rounded(magnitude, 1);
    if (value_of(digits) >= 1000) {
      const double scale = std::pow(10, std::floor(std::log10(value_of(digits))) - 3);
      digits = fmt::format("{:.0f}", std::round(magnitude / scale) * scale);
    }
    if (value_of(digits) == 0) digits = "0";
  }
  return (value < 0 && digits != "0" ? minus : "") + with_commas(digits);
}

std::string format_si(double value) {
  if (!std::isfinite(value)) return not_finite(value, "");
  constexpr Scale scales[] = {{"", 1},      {" k", 1e3},  {" M", 1e6}, {" G", 1e9},
                              {" T", 1e12}, {" P", 1e15}, {" E", 1e18}};
  return scaled(value, scales, 0, false);
}

}  // namespace dsim
