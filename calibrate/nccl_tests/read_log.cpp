#include <fmt/format.h>

#include "calibrate/nccl_tests/log_line.h"
#include "calibrate/nccl_tests/read_tables.h"
#include "calibrate/nccl_tests/run_facts.h"
#include "calibrate/nccl_tests/table_row.h"

namespace dsim {
namespace {

/// Reads line by line; a table ends where the next run or the next header begins.
class LogReader {
 public:
  explicit LogReader(const std::string& name) : name_(name) { begin_table(); }

  void read_line(std::string_view raw) {
    ++line_;
    const std::string line = clean_log_line(raw);
    const std::vector<TableColumn> columns = read_table_header(line);
    if (!columns.empty()) return read_header(columns);
    TableLine found = read_table_row(line, columns_);
    if (found.kind == TableLine::Kind::row) return keep(std::move(found.row));
    if (found.kind == TableLine::Kind::unreadable) return skip(found.reason);
    MeasuredFacts fresh;
    if (has_rows() && read_run_fact(line, fresh)) {
      finish_table();
      table_.facts = std::move(fresh);
      return;
    }
    read_run_fact(line, table_.facts);
  }

  std::vector<MeasuredTable> finish() {
    finish_table();
    return std::move(tables_);
  }

 private:
  bool has_rows() const { return !table_.rows.empty() || skipped_ > 0 || empty_ > 0; }

  void begin_table() {
    table_ = {};
    table_.source = name_;
    columns_.clear();
    skipped_ = empty_ = wrong_ = 0;
    first_skipped_.clear();
  }

  void read_header(const std::vector<TableColumn>& columns) {
    if (has_rows()) {  // the same run goes on with another table
      MeasuredFacts facts = table_.facts;
      facts.average_busbw_gbps.reset();
      finish_table();
      table_.facts = std::move(facts);
    }
    columns_ = columns;
    table_.line = line_;
  }

  void keep(MeasuredRow row) {
    if (row.size_bytes == 0) {
      ++empty_;
      return;
    }
    if (row.wrong.value_or(0) > 0) ++wrong_;
    if (table_.line == 0) table_.line = line_;
    row.line = line_;
    table_.rows.push_back(std::move(row));
  }

  void skip(const std::string& reason) {
    if (skipped_++ == 0) first_skipped_ = fmt::format("line {}: {}", line_, reason);
  }

  void finish_table() {
    if (skipped_ > 0)
      table_.notices.push_back(fmt::format(
          "{} of the table left out ({})",
          skipped_ == 1 ? "one line" : fmt::format("{} lines", skipped_), first_skipped_));
    if (empty_ > 0)
      table_.notices.push_back(fmt::format(
          "{} of size 0 left out", empty_ == 1 ? "one row" : fmt::format("{} rows", empty_)));
    if (wrong_ > 0)
      table_.notices.push_back(
          fmt::format("{} with wrong results (#wrong)",
                      wrong_ == 1 ? "one row" : fmt::format("{} rows", wrong_)));
    infer_facts(table_);
    if (has_rows()) tables_.push_back(std::move(table_));
    begin_table();
  }

  const std::string& name_;
  int line_ = 0;
  std::vector<TableColumn> columns_;
  MeasuredTable table_;
  std::size_t skipped_ = 0, empty_ = 0, wrong_ = 0;
  std::string first_skipped_;
  std::vector<MeasuredTable> tables_;
};

}  // namespace

std::vector<MeasuredTable> read_nccl_tests_log(std::string_view text, const std::string& name) {
  LogReader reader(name);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.read_line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return reader.finish();
}

}  // namespace dsim
