#include "calibrate/validate/markdown.h"

#include <fmt/format.h>

#include <cmath>

namespace dsim::markdown {

std::string percent(double fraction, bool with_sign) {
  if (std::isnan(fraction)) return "–";
  return with_sign ? fmt::format("{:+.1f}", fraction * 100) : fmt::format("{:.1f}", fraction * 100);
}

std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '*' || c == '_' || c == '`') result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

}  // namespace dsim::markdown
