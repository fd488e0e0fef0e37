#include "model/simulate/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "sim/base/error.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

constexpr std::int64_t largest_rank = 16'777'215;
constexpr std::size_t longest_list = 1'000'000;

[[noreturn]] void fail(std::string_view setting, std::string_view text, std::string_view expected) {
  throw InputError(fmt::format("{} '{}' is not {}", setting, text, expected));
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> whole_text(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

std::int64_t parse_whole(std::string_view setting, std::string_view text, std::int64_t low,
                         std::int64_t high) {
  const auto value = whole_text<std::int64_t>(trim(text));
  if (!value || *value < low || *value > high)
    fail(setting, text, fmt::format("a whole number from {} to {}", low, high));
  return *value;
}

double parse_number(std::string_view setting, std::string_view text, double low, double high) {
  text = trim(text);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit = trim(text.substr(static_cast<std::size_t>(stop - text.data())));
  constexpr std::pair<std::string_view, double> factors[] = {
      {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
  const auto factor = std::find_if(std::begin(factors), std::end(factors),
                                   [&](const auto& row) { return row.first == unit; });
  if (error != std::errc{} || factor == std::end(factors) ||
      !(value * factor->second >= low && value * factor->second <= high))
    fail(setting, text, fmt::format("a number from {:g} to {:g} such as '0.5' or '300 G'", low, high));
  return value * factor->second;
}

double parse_duration(std::string_view setting, std::string_view text) {
  text = trim(text);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit = trim(text.substr(static_cast<std::size_t>(stop - text.data())));
  constexpr std::pair<std::string_view, double> units[] = {
      {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  const auto found = std::find_if(std::begin(units), std::end(units),
                                  [&](const auto& row) { return row.first == unit; });
  if (error != std::errc{} || found == std::end(units) || !(value > 0) || !(value < 1e12))
    fail(setting, text, "a time above 0 with its unit (ms, s, min, h, d), such as '30 min'");
  return value * found->second;
}

Bytes parse_size(std::string_view setting, std::string_view text) {
  const auto size = parse_bytes(trim(text));
  if (!size || size->count < 1)
    fail(setting, text, "a size of at least 1 byte with its unit, such as '25 MiB' or '1 GB'");
  return *size;
}

std::vector<std::uint32_t> parse_ranks(std::string_view setting, std::string_view text) {
  constexpr std::string_view expected = "a list of ranks such as '0,5,8-11'";
  std::vector<std::uint32_t> ranks;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = whole_text<std::int64_t>(trim(part.substr(0, dash)));
    const auto last = dash == std::string_view::npos
                          ? first
                          : whole_text<std::int64_t>(trim(part.substr(dash + 1)));
    if (!first || !last || *first < 0 || *last < *first || *last > largest_rank)
      fail(setting, text, expected);
    if (ranks.size() + static_cast<std::size_t>(*last - *first) >= longest_list)
      fail(setting, text, fmt::format("a list of at most {} ranks", longest_list));
    for (std::int64_t rank = *first; rank <= *last; ++rank)
      ranks.push_back(static_cast<std::uint32_t>(rank));
  }
  std::vector<std::uint32_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw InputError(fmt::format("{} '{}' names rank {} twice", setting, text, *twice));
  return ranks;
}

std::vector<std::int64_t> parse_gpu_counts(std::string_view setting, std::string_view text) {
  constexpr std::string_view expected = "a rising list of GPU counts such as '8,16,...,512'";
  const std::vector<std::string_view> parts = split(text, ',');
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "..." || parts[i] == "…") {
      if (counts.empty() || i + 1 == parts.size()) fail(setting, text, expected);
      const auto end = whole_text<std::int64_t>(parts[i + 1]);
      if (!end || *end > largest_rank) fail(setting, text, expected);
      const std::size_t n = counts.size();
      const std::int64_t factor = n >= 2 ? counts[n - 1] / counts[n - 2] : 2;
      if (factor < 2 || (n >= 2 && counts[n - 1] != counts[n - 2] * factor))
        throw InputError(
            fmt::format("{} '{}': the numbers before '...' must have a whole ratio of at least 2",
                        setting, text));
      while (counts.back() * factor < *end) counts.push_back(counts.back() * factor);
      continue;
    }
    const auto count = whole_text<std::int64_t>(parts[i]);
    if (!count || *count < 1 || *count > largest_rank ||
        (!counts.empty() && *count <= counts.back()))
      fail(setting, text, expected);
    counts.push_back(*count);
  }
  return counts;
}

std::vector<std::int64_t> doubling_sizes(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size < last; size *= 2) sizes.push_back(size);
  sizes.push_back(last);
  return sizes;
}

RankFactor parse_rank_factor(std::string_view setting, std::string_view text) {
  constexpr std::string_view expected =
      "RANK=FACTOR such as '3=1.2x' (rank 3 takes 1.2 times as long)";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) fail(setting, text, expected);
  std::string_view factor_text = trim(text.substr(equals + 1));
  if (!factor_text.empty() && factor_text.back() == 'x') factor_text.remove_suffix(1);
  const auto rank = whole_text<std::int64_t>(trim(text.substr(0, equals)));
  const auto factor = whole_text<double>(factor_text);
  if (!rank || *rank < 0 || *rank > largest_rank || !factor || !(*factor > 0) || *factor > 1000)
    fail(setting, text, expected);
  return {static_cast<std::uint32_t>(*rank), *factor};
}

}  // namespace dsim
