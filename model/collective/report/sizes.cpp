#include "model/collective/report/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "sim/base/error.h"
#include "sim/base/source_line.h"

namespace dsim {
namespace {

/// "8:16G:2" cut at the colons, for messages.
struct Sweep {
  std::string_view flag, text;

  [[noreturn]] void fail(std::string_view message) const {
    throw InputError(fmt::format("{} '{}': {}", flag, excerpt(text), message));
  }
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Bits to shift for a unit, -1 for what is none.
int shift_of(std::string_view unit) {
  if (unit.empty() || unit == "B") return 0;
  if (unit.size() == 3 && !unit.ends_with("iB")) return -1;
  if (unit.size() != 1 && unit.size() != 3) return -1;
  switch (unit[0]) {
    case 'k':
    case 'K':
      return 10;
    case 'm':
    case 'M':
      return 20;
    case 'g':
    case 'G':
      return 30;
    case 't':
    case 'T':
      return 40;
    default:
      return -1;
  }
}

Bytes parse_one(const Sweep& sweep, std::string_view text) {
  text = trimmed(text);
  if (text.empty()) sweep.fail("a size is missing (such as 8:16G:2, 1M or 1M:8M:+1M)");
  if (text.front() == '-') sweep.fail("a size cannot be negative");
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  if (error == std::errc::invalid_argument || !(number >= 0))
    sweep.fail(fmt::format("'{}' is no size (such as 8, 64K, 1M, 16G)", excerpt(text, 24)));
  const int shift = shift_of(unit);
  if (shift < 0 && unit.size() == 2 && unit[1] == 'B')
    sweep.fail(
        fmt::format("is {0}B 1000 or 1024? Write {0} or {0}iB, both powers of 1024", unit[0]));
  if (shift < 0)
    sweep.fail(fmt::format("unknown unit '{}' (K, M, G or T: powers of 1024)", excerpt(unit, 24)));
  const double bytes = std::ldexp(number, shift);
  if (error == std::errc::result_out_of_range || bytes > static_cast<double>(largest_collective))
    sweep.fail(fmt::format("{} is more than 1T; no GPU holds such a vector", excerpt(text, 24)));
  if (bytes != std::floor(bytes))
    sweep.fail(fmt::format("{} is no whole number of bytes", excerpt(text, 24)));
  if (bytes == 0)
    sweep.fail("size 0 moves nothing: NCCL returns at once, there is no time to predict");
  return Bytes{static_cast<std::int64_t>(bytes)};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::int64_t parse_factor(const Sweep& sweep, std::string_view text) {
  text = trimmed(text);
  std::int64_t factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error != std::errc() || end != text.data() + text.size() || factor < 2)
    sweep.fail(fmt::format("'{}' is neither a factor (a whole number from 2 on) nor a step (+1M)",
                           excerpt(text, 24)));
  return factor;
}

/// "first:last[:factor or +step]", or one size.
void append_range(const Sweep& sweep, std::string_view text, std::vector<Bytes>& sizes) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 3) sweep.fail("a range is first:last:factor or first:last:+step");
  const Bytes first = parse_one(sweep, parts[0]);
  const Bytes last = parts.size() > 1 ? parse_one(sweep, parts[1]) : first;
  if (first > last)
    sweep.fail(fmt::format("the first size, {}, is beyond the last, {}", trimmed(parts[0]),
                           trimmed(parts[1])));
  std::int64_t factor = 2, step = 0;
  if (parts.size() == 3) {
    const std::string_view by = trimmed(parts[2]);
    if (by.starts_with('+'))
      step = parse_one(sweep, by.substr(1)).count;
    else
      factor = parse_factor(sweep, by);
  }
  for (std::int64_t size = first.count; size <= last.count;) {
    if (sizes.size() == most_sizes) sweep.fail(fmt::format("more than {} sizes", most_sizes));
    sizes.push_back(Bytes{size});
    if (step > 0)
      size += step;
    else if (size > last.count / factor)
      break;
    else
      size *= factor;
  }
}

}  // namespace

std::vector<Bytes> parse_collective_sizes(std::string_view flag, std::string_view text) {
  const Sweep sweep{flag, text};
  std::vector<Bytes> sizes;
  for (const std::string_view part : split(text, ',')) append_range(sweep, part, sizes);
  return sizes;
}

std::string collective_size_text(Bytes size) {
  constexpr std::string_view units = "KMGT";
  std::string text = fmt::format("{}", size.count);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::int64_t unit = std::int64_t{1} << (10 * (i + 1));
    if (size.count % unit == 0 && size.count > 0)
      text = fmt::format("{}{}", size.count / unit, units[i]);
    else if (size.count > unit && size.count * 4 % unit == 0)
      return fmt::format("{}{}", static_cast<double>(size.count) / static_cast<double>(unit),
                         units[i]);
  }
  return text;
}

bool is_partitioned(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return true;
    default:
      return false;
  }
}

ElementCount element_count(CollectiveOp op, Bytes size, DataType type, std::uint32_t ranks) {
  const std::int64_t element = size_of(type).count;
  std::int64_t count = size.count / element;
  if (!is_partitioned(op)) return {Bytes{count * element}, count};
  // NVIDIA/nccl-tests src/all_gather.cu (and the four others): base = (count / nranks) & -(16 /
  // element)
  const std::int64_t group = std::max<std::int64_t>(1, 16 / element);
  count = count / static_cast<std::int64_t>(ranks) / group * group;
  return {Bytes{count * element * static_cast<std::int64_t>(ranks)}, count};
}

}  // namespace dsim
