#pragma once
// The state machine behind CsvTable.
#include <cstdint>
#include <string_view>

#include "calibrate/validate/csv_table.h"

namespace dsim {

/// Fills a CsvTable from its text in one pass.
class CsvParser {
 public:
  explicit CsvParser(CsvTable& table);
  void run();

 private:
  bool at_end() const { return at_ >= text_.size(); }
  bool at_line_end() const;
  void skip_line_end();
  void skip_blanks();
  std::string_view rest_of_line() const;
  void read_remark();
  void read_row(std::vector<CsvCell>& cells);
  CsvCell read_plain();
  CsvCell read_quoted();
  void check_encoding() const;
  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_start_ + 1); }
  [[noreturn]] void fail(std::uint32_t line, std::uint32_t column, std::string_view message,
                         int length = 1) const;

  CsvTable& table_;
  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
  char separator_ = ',';
};

}  // namespace dsim
