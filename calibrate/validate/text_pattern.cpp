#include "calibrate/validate/text_pattern.h"

#include <algorithm>
#include <cctype>

namespace dsim {
namespace {

/// Calls `visit` with each part of `text` between separators until it returns true; tells whether
/// it did.
template <class Visit>
bool any_part(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0 && visit(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool word_occurs(std::string_view normal, std::string_view word) {
  return any_part(word, '|', [&](std::string_view alternative) {
    const bool whole = alternative.starts_with('=');
    if (whole) alternative.remove_prefix(1);
    const std::string tokens = normalised(alternative);
    return whole ? normal == tokens : normal.find(tokens) != std::string_view::npos;
  });
}

}  // namespace

std::string normalised(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte)) {
      if (result.empty()) result = " ";
      result += static_cast<char>(std::tolower(byte));
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (!result.empty() && result.back() != ' ') result += ' ';
  return result;
}

bool matches(std::string_view text, std::string_view pattern) {
  const std::string normal = normalised(text);
  return !any_part(pattern, ' ', [&](std::string_view word) {
    const bool absent = word.starts_with('!');
    if (absent) word.remove_prefix(1);
    return word_occurs(normal, word) == absent;  // true: this word speaks against it
  });
}

}  // namespace dsim
