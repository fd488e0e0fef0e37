#include "calibrate/validate/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "calibrate/validate/csv_parser.h"

namespace dsim {
namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t{512} << 20;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

CsvTable CsvTable::load(const std::filesystem::path& path) {
  std::error_code error;
  const std::string name = path.string();
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(fmt::format("{}: no such file", name));
  if (!std::filesystem::is_regular_file(status))
    throw InputError(fmt::format("{}: not a regular file, a CSV table was expected", name));
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("{}: {}", name, error.message()));
  if (size > largest_file)
    throw InputError(fmt::format("{}: {} bytes; tables of at most 512 MiB are read", name, size));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read", name));
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) throw InputError(fmt::format("{}: cannot be read", name));
  return parse(std::move(text), name);
}

CsvTable CsvTable::parse(std::string text, std::string name) {
  CsvTable table;
  table.name_ = std::move(name);
  table.text_ = std::make_unique<std::string>(std::move(text));
  CsvParser(table).run();
  for (const CsvCell& cell : table.header_) {
    std::string column = lower(cell.text);
    if (!column.empty() && std::ranges::find(table.columns_, column) != table.columns_.end())
      table.fail(cell, fmt::format("column '{}' is named twice", column));
    table.columns_.push_back(std::move(column));
  }
  return table;
}

std::string_view CsvTable::remark(std::string_view key) const {
  for (const CsvRemark& remark : remarks_)
    if (lower(remark.key) == key) return remark.value;
  return {};
}

std::optional<std::size_t> CsvTable::column_index(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

CsvCell CsvTable::cell(std::size_t row, std::size_t column) const {
  require(row < row_count(), "a row of the table");
  const std::size_t begin = row_starts_[row], end = row_starts_[row + 1];
  return begin + column < end ? cells_[begin + column] : CsvCell{};
}

CsvCell CsvTable::cell(std::size_t row, std::string_view column) const {
  const auto index = column_index(column);
  return index ? cell(row, *index) : CsvCell{};
}

std::string CsvTable::place(const CsvCell& cell) const {
  return cell.line == 0 ? name_ : fmt::format("{}:{}:{}", name_, cell.line, cell.column);
}

void CsvTable::fail(const CsvCell& cell, std::string_view message) const {
  const TextPosition position{name_, static_cast<int>(cell.line), static_cast<int>(cell.column)};
  throw InputError(position, message, line_of(*text_, cell.line),
                   std::max(1, static_cast<int>(std::min<std::size_t>(cell.text.size(), 200))));
}

std::string_view line_of(std::string_view text, std::uint32_t line) {
  std::size_t begin = 0;
  for (std::uint32_t at = 1; at < line; ++at) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::string_view rest = text.substr(begin);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

}  // namespace dsim
