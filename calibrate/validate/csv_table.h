#pragma once
// Tables of measurements as text: `# key: value` lines, a header row, rows (RFC 4180). Comma, tab
// or semicolon, whichever the header row uses. BOM, CRLF, blank lines and short rows are taken as
// they come.
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.h"

namespace dsim {

/// The text of a field (quotes removed, unquoted blanks trimmed) and where it begins. An empty
/// field has line 0 when its row or its column does not exist.
struct CsvCell {
  std::string_view text;
  std::uint32_t line = 0, column = 0;
};

/// A `# key: value` line. Lines without a colon have an empty key.
struct CsvRemark {
  std::string_view key, value;
};

/// A table in memory. Cells are views into it: they live as long as the table does (moves
/// included).
class CsvTable {
 public:
  /// Reads a file of at most 512 MiB. InputError: no such file, a directory, unreadable, too large,
  /// or what `parse` finds.
  static CsvTable load(const std::filesystem::path& path);
  /// InputError with the position: no header row, an open quote, text after a closing quote, a
  /// column named twice, more fields than columns, a NUL byte, text that is not UTF-8.
  static CsvTable parse(std::string text, std::string name);

  const std::string& name() const { return name_; }
  const std::vector<CsvRemark>& remarks() const { return remarks_; }
  /// Value of the first remark with this key (lower case), or "".
  std::string_view remark(std::string_view key) const;

  std::size_t row_count() const { return row_starts_.empty() ? 0 : row_starts_.size() - 1; }
  /// Column names in lower case.
  const std::vector<std::string>& columns() const { return columns_; }
  bool has_column(std::string_view name) const { return column_index(name).has_value(); }
  std::optional<std::size_t> column_index(std::string_view name) const;
  CsvCell header_cell(std::size_t column) const { return header_[column]; }

  CsvCell cell(std::size_t row, std::size_t column) const;
  /// The cell below a column name; empty if the table has no such column.
  CsvCell cell(std::size_t row, std::string_view column) const;
  /// "file:line:col" of a cell, for messages.
  std::string place(const CsvCell& cell) const;
  /// Throws InputError at a cell.
  [[noreturn]] void fail(const CsvCell& cell, std::string_view message) const;

 private:
  friend class CsvParser;
  CsvTable() = default;

  std::string name_;
  std::unique_ptr<std::string> text_;  // on the heap, so that views survive moves
  std::deque<std::string> unescaped_;  // fields that had "" in them
  std::vector<CsvRemark> remarks_;
  std::vector<CsvCell> header_;
  std::vector<std::string> columns_;
  std::vector<CsvCell> cells_;
  std::vector<std::size_t> row_starts_;  // into cells_, one more than there are rows
};

/// The positions of a mark under a line of a long text: the whole line that contains `line`, for
/// messages.
std::string_view line_of(std::string_view text, std::uint32_t line);

}  // namespace dsim
