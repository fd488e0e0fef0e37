#include "sim/base/source_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dsim {
namespace {

constexpr int window = 100;  // characters of a source line that are shown

struct Character {
  std::string_view bytes;
  std::uint32_t code = 0;
  bool valid = false;
};

/// The first character of non-empty UTF-8 text; an invalid byte stands for itself.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {text.substr(0, 1), lead, true};
  const std::size_t length = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : 2;
  const Character invalid{text.substr(0, 1), lead, false};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return invalid;
  std::uint32_t code = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return invalid;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return invalid;
  return {text.substr(0, length), code, true};
}

/// Control characters, and those that change the direction or the line of what follows.
bool is_harmless(const Character& character) {
  const std::uint32_t code = character.code;
  if (!character.valid || code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  return !(code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff);
}

std::string escaped(const Character& character) {
  if (is_harmless(character)) return std::string(character.bytes);
  if (character.code == '\n') return "\\n";
  if (character.code == '\t') return "\\t";
  return character.code < 0x100 ? fmt::format("\\x{:02x}", character.code)
                                : fmt::format("\\u{:04x}", character.code);
}

/// Columns that a terminal gives to a character: two for East Asian wide ones and most emoji.
int columns(const Character& character) {
  const std::uint32_t c = character.code;
  if (!character.valid || c < 0x300) return 1;
  if (c <= 0x36f) return 0;  // combining marks
  const bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
                    (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
                    (c >= 0xff00 && c <= 0xff60) || (c >= 0x1f300 && c <= 0x1faff) ||
                    (c >= 0x20000 && c <= 0x3fffd);
  return wide ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    result += escaped(character);
    text.remove_prefix(character.bytes.size());
  }
  return result;
}

std::string excerpt(std::string_view text, std::size_t limit) {
  std::string result;
  std::size_t count = 0;
  while (!text.empty()) {
    if (count++ == limit) return result + "...";
    const Character character = first_character(text);
    result += escaped(character);
    text.remove_prefix(character.bytes.size());
  }
  return result;
}

int character_count(std::string_view text) {
  int count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_character(text).bytes.size());
  return count;
}

std::string marked_line(std::string_view source_line, int line, int column, int length) {
  const int mark_begin = std::max(column, 1) - 1;
  const int first = mark_begin < window - 20 ? 0 : mark_begin - window / 2;
  std::string shown = first > 0 ? "..." : "";
  std::string mark(shown.size(), ' ');
  int index = 0;
  for (; !source_line.empty() && index < first + window; ++index) {
    const Character character = first_character(source_line);
    source_line.remove_prefix(character.bytes.size());
    if (index < first) continue;
    const bool keep = character.code == '\t' || is_harmless(character);
    shown += keep ? std::string(character.bytes) : "\xef\xbf\xbd";  // U+FFFD
    const int width = keep ? columns(character) : 1;
    if (index < mark_begin) {
      mark += character.code == '\t' ? std::string(1, '\t') : std::string(width, ' ');
    } else if (index == mark_begin) {
      mark += '^' + std::string(std::max(width, 1) - 1, '~');
    } else if (index < mark_begin + length) {
      mark += std::string(width, '~');
    }
  }
  if (!source_line.empty()) shown += "...";
  for (; index <= mark_begin; ++index) mark += index == mark_begin ? '^' : ' ';  // after the end
  return fmt::format("{:5} | {}\n      | {}", line, shown, mark);
}

}  // namespace dsim
