#include <fmt/format.h>

#include <cctype>
#include <string>

#include "sim/base/quantity.h"
#include "sim/base/quantity_units.h"
#include "sim/base/source_line.h"

namespace dsim {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool take_front(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

/// The right spelling of a data unit written another way: "gbps" and "Gbit/s" are "Gb/s", "GBps" is
/// "GB/s", "mb" is "MB" where no rate is meant. Empty if the unit cannot be guessed.
std::string data_unit(std::string_view written, bool rate) {
  const std::string lowered = lower(written);
  std::string_view rest = lowered;
  std::string prefix;
  for (const std::string_view known :
       {"ki", "mi", "gi", "ti", "kilo", "mega", "giga", "tera", "k", "m", "g", "t"})
    if (take_front(rest, known)) {
      const bool binary = known.ends_with('i') && known.size() == 2;
      prefix =
          known.front() == 'k' && !binary ? 'k' : static_cast<char>(std::toupper(known.front()));
      if (binary) prefix += 'i';
      break;
    }
  bool bits = rate && (rest.empty() || written[written.size() - rest.size()] == 'b');
  if (rest.starts_with("bit")) bits = true;
  if (rest.starts_with("byte")) bits = false;
  for (const std::string_view name : {"bits", "bit", "bytes", "byte", "b"})
    if (take_front(rest, name)) break;
  const bool per_second = rest == "/s" || rest == "ps" || rest == "/sec" || rest == "/second";
  if (!(rest.empty() || per_second) || (per_second && !rate)) return {};
  return prefix + (rate ? (bits ? "b/s" : "B/s") : "B");
}

std::string time_unit(std::string_view written) {
  const std::string unit = lower(written);
  constexpr std::pair<const char*, const char*> table[] = {{"ps", "ps"},
                                                           {"psec", "ps"},
                                                           {"ns", "ns"},
                                                           {"nsec", "ns"},
                                                           {"us", "us"},
                                                           {"usec", "us"},
                                                           {"\xc2\xb5s", "us"},
                                                           {"\xce\xbcs", "us"},
                                                           {"ms", "ms"},
                                                           {"msec", "ms"},
                                                           {"s", "s"},
                                                           {"sec", "s"},
                                                           {"secs", "s"},
                                                           {"m", "min"},
                                                           {"min", "min"},
                                                           {"mins", "min"},
                                                           {"minute", "min"},
                                                           {"minutes", "min"},
                                                           {"h", "h"},
                                                           {"hour", "h"},
                                                           {"hours", "h"},
                                                           {"nanoseconds", "ns"},
                                                           {"microseconds", "us"},
                                                           {"milliseconds", "ms"},
                                                           {"second", "s"},
                                                           {"seconds", "s"}};
  for (const auto& [other, right] : table)
    if (unit == other) return right;
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The common frame: what was expected, what was found, and the nearest right text.
template <class Respell, class Accepts>
std::string explain(std::string_view expected, std::string_view text, Respell respell,
                    Accepts accepts) {
  const std::string start = fmt::format("expected {}, found \"{}\"", expected, excerpt(text));
  const std::string_view bare = trimmed(text);
  if (bare.starts_with('-')) return start + " (it must not be negative)";
  const auto quantity = split_quantity(bare);
  if (!quantity) return start;
  const std::string_view written = trimmed(quantity->unit);
  if (written.empty()) return start + " (the unit is missing)";
  const std::string unit = respell(written);
  if (unit.empty()) return start + fmt::format(" (unknown unit '{}')", excerpt(written, 20));
  const std::string_view number =
      bare.substr(0, static_cast<std::size_t>(quantity->unit.data() - bare.data()));
  const std::string better = fmt::format("{} {}", trimmed(number), unit);
  if (!accepts(better)) return start + " (out of range)";
  return start + fmt::format(" (did you mean \"{}\"?)", better);
}

}  // namespace

std::string explain_bandwidth(std::string_view text) {
  return explain(
      "a bandwidth such as \"400 Gb/s\"", text,
      [](std::string_view unit) { return data_unit(unit, true); },
      [](const std::string& better) { return parse_bandwidth(better).has_value(); });
}

std::string explain_time(std::string_view text) {
  return explain("a time such as \"2 us\"", text, time_unit,
                 [](const std::string& better) { return parse_time(better).has_value(); });
}

std::string explain_bytes(std::string_view text) {
  return explain(
      "a size such as \"25 MB\" or \"1 GiB\"", text,
      [](std::string_view unit) { return data_unit(unit, false); },
      [](const std::string& better) { return parse_bytes(better).has_value(); });
}

}  // namespace dsim
