#include "calibrate/nccl_tests/log_line.h"

#include <charconv>
#include <cmath>

namespace dsim {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Index behind the escape sequence that begins at `at`: ESC [ ... letter, or ESC and one
/// character.
std::size_t behind_escape(std::string_view line, std::size_t at) {
  if (++at >= line.size()) return at;
  if (line[at] == ']') {  // a title: up to BEL
    while (at < line.size() && line[at] != '\a') ++at;
    return at + 1;
  }
  if (line[at] != '[') return at + 1;
  ++at;
  while (at < line.size() && (line[at] < '@' || line[at] > '~')) ++at;
  return at + 1;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of the tag that mpirun puts before each piece of output ("[1,0]<stdout>:"), or 0.
std::size_t launcher_tag(std::string_view text) {
  std::size_t at = 1;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > begin;
  };
  if (!digits() || at >= text.size() || text[at++] != ',' || !digits()) return 0;
  for (const std::string_view stream : {"]<stdout>:", "]<stderr>:", "]<stddiag>:"})
    if (text.substr(at).starts_with(stream)) return at + stream.size();
  return 0;
}

template <class Value>
bool read_whole(std::string_view word, Value& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string clean_log_line(std::string_view line) {
  std::string result;
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  for (std::size_t i = 0; i < line.size() && result.size() < longest_log_line;) {
    const char c = line[i];
    if (c == '\x1b') {
      i = behind_escape(line, i);
      continue;
    }
    if (c == '[') {
      if (const std::size_t tag = launcher_tag(line.substr(i))) {
        result += ' ';
        i += tag;
        continue;
      }
    }
    if (c == '\t')
      result += ' ';
    else if (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f')
      result += c;
    ++i;
  }
  return result;
}

std::vector<std::string_view> log_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size();) {
    if (is_blank(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && !is_blank(line[end])) ++end;
    std::string_view word = line.substr(i, end - i);
    if (word.size() > 1 && word[0] == '#' && word != "#wrong") {
      words.push_back(word.substr(0, 1));
      word.remove_prefix(1);
    }
    words.push_back(word);
    i = end;
  }
  return words;
}

bool read_number(std::string_view word, double& value) {
  return read_whole(word, value) && std::isfinite(value);
}

bool read_number(std::string_view word, std::int64_t& value) { return read_whole(word, value); }

std::string_view text_after(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + mark.size());
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

bool number_after(std::string_view line, std::string_view mark, std::int64_t& value) {
  std::string_view text = text_after(line, mark);
  std::size_t end = 0;
  while (end < text.size() && (text[end] == '-' || (text[end] >= '0' && text[end] <= '9'))) ++end;
  return read_number(text.substr(0, end), value);
}

}  // namespace dsim
