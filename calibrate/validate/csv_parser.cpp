#include "calibrate/validate/csv_parser.h"

#include <fmt/format.h>

namespace dsim {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Length of the UTF-8 sequence that begins at `at`, or 0 if none does (overlong forms and
/// surrogates are none).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(at), next = byte(at + 1);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF && follows(at + 1)) return 2;
  if ((lead & 0xF0u) == 0xE0 && follows(at + 1) && follows(at + 2))
    return (lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F) ? 0 : 3;
  if (lead >= 0xF0 && lead <= 0xF4 && follows(at + 1) && follows(at + 2) && follows(at + 3))
    return (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F) ? 0 : 4;
  return 0;
}

}  // namespace

CsvParser::CsvParser(CsvTable& table) : table_(table), text_(*table.text_) {}

void CsvParser::run() {
  check_encoding();
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;
  bool have_header = false;
  while (!at_end()) {
    if (trimmed(rest_of_line()).empty()) {
      at_ += rest_of_line().size();
      skip_line_end();
    } else if (text_[at_] == '#') {
      read_remark();
    } else if (!have_header) {
      const std::string_view line = rest_of_line();
      for (const char candidate : {',', '\t', ';'})
        if (line.find(candidate) != std::string_view::npos) {
          separator_ = candidate;
          break;
        }
      read_row(table_.header_);
      have_header = true;
      table_.row_starts_.push_back(0);
    } else {
      read_row(table_.cells_);
      table_.row_starts_.push_back(table_.cells_.size());
    }
  }
  if (!have_header)
    fail(line_, 1, "no header row: a line with the names of the columns was expected");
}

bool CsvParser::at_line_end() const {
  return at_end() || text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_, 2) == "\r\n");
}

void CsvParser::skip_line_end() {
  if (at_end()) return;
  at_ += text_[at_] == '\r' ? 2 : 1;
  ++line_;
  line_start_ = at_;
}

void CsvParser::skip_blanks() {
  while (!at_end() && (text_[at_] == ' ' || (text_[at_] == '\t' && separator_ != '\t'))) ++at_;
}

std::string_view CsvParser::rest_of_line() const {
  std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
  if (at_ + rest.size() < text_.size() && rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

void CsvParser::read_remark() {
  const std::string_view line = rest_of_line();
  const std::string_view body = trimmed(line.substr(1));
  // The colon of an address ("https://") does not end a key; nor does one far into a sentence.
  const std::size_t colon = body.find(": ");
  const bool has_key = colon != std::string_view::npos && colon <= 40;
  table_.remarks_.push_back(
      has_key ? CsvRemark{trimmed(body.substr(0, colon)), trimmed(body.substr(colon + 1))}
              : CsvRemark{{}, body});
  at_ += line.size();
  skip_line_end();
}

void CsvParser::read_row(std::vector<CsvCell>& cells) {
  const bool is_header = &cells == &table_.header_;
  const std::size_t begin = cells.size();
  while (true) {
    skip_blanks();
    const CsvCell cell = !at_end() && text_[at_] == '"' ? read_quoted() : read_plain();
    const bool surplus = !is_header && cells.size() - begin >= table_.header_.size();
    if (surplus && !cell.text.empty())
      fail(cell.line, cell.column,
           fmt::format(
               "field {} of a row, but the header row names {} columns (a text with '{}' in it "
               "must stand in quotes)",
               cells.size() - begin + 1, table_.header_.size(), separator_));
    if (!surplus) cells.push_back(cell);
    if (at_line_end()) break;
    ++at_;  // the separator
  }
  skip_line_end();
}

CsvCell CsvParser::read_plain() {
  CsvCell cell{{}, line_, column()};
  const std::size_t begin = at_;
  while (!at_line_end() && text_[at_] != separator_) ++at_;
  cell.text = trimmed(text_.substr(begin, at_ - begin));
  return cell;
}

CsvCell CsvParser::read_quoted() {
  CsvCell cell{{}, line_, column()};
  const std::size_t begin = ++at_;
  bool has_escapes = false;
  while (true) {
    if (at_end()) fail(cell.line, cell.column, "this quote is never closed");
    if (text_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    } else if (text_[at_] == '"') {
      if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
      has_escapes = true;
      ++at_;
    }
    ++at_;
  }
  cell.text = text_.substr(begin, at_ - begin);
  ++at_;
  skip_blanks();
  if (!at_line_end() && text_[at_] != separator_)
    fail(line_, column(),
         fmt::format("text after a closing quote ('{}' or the end of the line was expected; "
                     "a quote inside a field is written \"\")",
                     separator_));
  if (has_escapes) {
    std::string plain;
    for (std::size_t i = 0; i < cell.text.size(); ++i) {
      plain += cell.text[i];
      if (cell.text[i] == '"') ++i;
    }
    cell.text = table_.unescaped_.emplace_back(std::move(plain));
  }
  return cell;
}

void CsvParser::check_encoding() const {
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    fail(1, 1, "the text is UTF-16; save it as UTF-8");
  std::uint32_t line = 1;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text_.size();) {
    if (text_[at] == '\n') {
      ++line;
      start = at + 1;
    }
    const std::size_t length = text_[at] == '\0' ? 0 : sequence_length(text_, at);
    if (length == 0)
      fail(line, static_cast<std::uint32_t>(at - start + 1),
           text_[at] == '\0' ? "a NUL byte: not a text file" : "not UTF-8 text; save it as UTF-8");
    at += length;
  }
}

void CsvParser::fail(std::uint32_t line, std::uint32_t column, std::string_view message,
                     int length) const {
  std::string shown(line_of(text_, line).substr(0, 4096));
  for (char& c : shown)
    if (c == '\0') c = ' ';
  // Bytes that are not text would spoil the message.
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t good = sequence_length(shown, at);
    if (good == 0) shown[at] = '?';
    at += good == 0 ? 1 : good;
  }
  throw InputError(TextPosition{table_.name_, static_cast<int>(line), static_cast<int>(column)},
                   message, shown, length);
}

}  // namespace dsim
