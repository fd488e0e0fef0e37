#include "model/simulate/text_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dsim {
namespace {

std::string_view escape(Ink ink) {
  switch (ink) {
    case Ink::plain:
      return "";
    case Ink::strong:
      return "\x1b[1m";
    case Ink::compute:
      return "\x1b[38;5;25m";
    case Ink::communication:
      return "\x1b[38;5;178m";
    case Ink::optimizer:
      return "\x1b[38;5;36m";
    case Ink::bubble:
      return "\x1b[38;5;175m";
    case Ink::data:
      return "\x1b[38;5;74m";
    case Ink::fault:
      return "\x1b[38;5;166m";
    case Ink::idle:
      return "\x1b[38;5;246m";
  }
  return "";
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) ++width;
  }
  return width;
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t have = display_width(text);
  if (have < width) text.append(width - have, ' ');
  return text;
}

std::string pad_left(std::string text, std::size_t width) {
  const std::size_t have = display_width(text);
  if (have < width) text.insert(0, width - have, ' ');
  return text;
}

std::string bar(double fraction, std::size_t columns) {
  static constexpr std::array<std::string_view, 8> part{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const auto eighths =
      static_cast<std::size_t>(std::lround(clamped * 8 * static_cast<double>(columns)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text += part[eighths % 8];
}

std::vector<std::string> wrap_items(std::string_view head, const std::vector<std::string>& items,
                                    std::string_view separator, std::size_t width) {
  const std::string indent(display_width(head), ' ');
  std::vector<std::string> lines{std::string(head)};
  bool empty = true;  // nothing but head or indent on this line yet
  const auto put = [&](const std::string& text, std::string_view between) {
    const std::string gap = empty ? "" : std::string(between);
    if (!empty && display_width(lines.back()) + display_width(gap) + display_width(text) > width) {
      lines.push_back(indent + text);
    } else {
      lines.back() += gap + text;
    }
    empty = false;
  };
  for (const std::string& item : items) {
    if (display_width(item) + indent.size() <= width) {
      put(item, separator);
      continue;
    }
    std::string_view between = separator;
    for (const std::string& word : words_of(item)) {
      put(word, between);
      between = " ";
    }
  }
  return lines;
}

std::vector<std::string> wrap_text(std::string_view head, std::string_view text,
                                   std::size_t width) {
  std::vector<std::string> words;
  bool unit_follows = false;  // a number keeps its unit
  for (const std::string& word : words_of(text)) {
    if (unit_follows && display_width(word) <= 8)
      words.back() += " " + word;
    else
      words.push_back(word);
    unit_follows = word.find_first_not_of("0123456789.,") == std::string::npos;
  }
  return wrap_items(head, words, " ", width);
}

std::string inked(std::string text, Ink ink, bool colour) {
  if (!colour || ink == Ink::plain || text.empty()) return text;
  return std::string(escape(ink)) + text + "\x1b[0m";
}

std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool to_left = std::find(left.begin(), left.end(), i) != left.end();
      if (i > 0) line += "  ";
      line += to_left ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace dsim
