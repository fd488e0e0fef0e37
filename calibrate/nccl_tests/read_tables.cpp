#include "calibrate/nccl_tests/read_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "calibrate/nccl_tests/log_line.h"
#include "calibrate/nccl_tests/table_row.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

InputError file_error(const std::filesystem::path& path, std::string_view reason) {
  return InputError(fmt::format("{}: {}", path.string(), reason));
}

/// The whole file. It may be a pipe: what counts is what can be read.
std::string file_text(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw file_error(path, "is a folder; expected a log, JSON or CSV file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw file_error(path, std::generic_category().message(errno));
  std::string text;
  constexpr std::size_t block = std::size_t{1} << 16;
  for (std::size_t got = block; got == block;) {
    const std::size_t before = text.size();
    text.resize(before + block);
    got = std::fread(text.data() + before, 1, block, file.get());
    text.resize(before + got);
    if (text.size() > largest_measured_file)
      throw file_error(path, fmt::format("is larger than {} MiB", largest_measured_file >> 20));
  }
  if (std::ferror(file.get()) != 0) throw file_error(path, "cannot be read to its end");
  return text;
}

bool is_json(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return at != std::string_view::npos && text[at] == '{';
}

/// The first line that is no remark names columns.
bool is_csv(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string line = clean_log_line(text.substr(0, end));
    const std::size_t at = line.find_first_not_of(" \"");
    if (at != std::string::npos && line[at] != '#') return line.compare(at, 10, "size_bytes") == 0;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

/// Whether some line names the columns of nccl-tests.
bool has_header(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!read_table_header(clean_log_line(text.substr(0, end))).empty()) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

}  // namespace

std::vector<MeasuredTable> read_measured_tables(std::string text, const std::string& name) {
  if (text.empty()) throw InputError(fmt::format("{}: is empty", name));
  if (text.find('\0') != std::string::npos)
    throw InputError(fmt::format("{}: is not a text file", name));
  std::vector<MeasuredTable> tables;
  std::string reason;
  if (is_json(text)) {
    tables = read_nccl_tests_json(std::move(text), name);
  } else if (is_csv(text)) {
    tables = read_collective_csv(std::move(text), name);
  } else {
    tables = read_nccl_tests_log(text, name);
    if (tables.empty())
      reason = has_header(text) ? "the header of a table of nccl-tests, but no row of it"
                                : "no table of nccl-tests found (looked for the columns "
                                  "'size count type ... time algbw busbw', for JSON and for CSV)";
  }
  for (const MeasuredTable& table : tables)
    if (table.rows.empty() && reason.empty())
      reason = table.notices.empty() ? "its table has no row"
                                     : "no row can be used: " + table.notices.front();
  std::erase_if(tables, [](const MeasuredTable& table) { return table.rows.empty(); });
  if (tables.empty()) throw InputError(fmt::format("{}: {}", name, reason));
  return tables;
}

std::vector<MeasuredTable> load_measured_tables(const std::filesystem::path& path) {
  return read_measured_tables(file_text(path), path.string());
}

}  // namespace dsim
