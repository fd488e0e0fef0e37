#include <fmt/format.h>

#include "calibrate/nccl_tests/log_line.h"
#include "calibrate/nccl_tests/read_tables.h"
#include "calibrate/validate/csv_table.h"
#include "model/collective/algorithm.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

/// A number >= 0 in a cell; empty cells were not published. InputError at the cell.
std::optional<double> number_in(const CsvTable& csv, std::size_t row, std::string_view column) {
  const CsvCell cell = csv.cell(row, column);
  if (cell.text.empty()) return std::nullopt;
  double value = 0;
  if (!read_number(cell.text, value) || value < 0)
    csv.fail(cell, fmt::format("expected a number, found '{}'", cell.text.substr(0, 40)));
  return value;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  return read_number(text, value) && value >= 0 ? std::optional(value) : std::nullopt;
}

void read_remark(const CsvRemark& remark, MeasuredFacts& facts) {
  const std::string value(remark.value);
  if (value.empty() || remark.key.empty()) return;
  if (remark.key == "collective") {
    try {
      facts.collective = name_of(collective_by_name(value));
    } catch (const InputError&) {
      facts.remarks.emplace_back(remark.key, value);
    }
  } else if (remark.key == "nccl_version") {
    if (value != "unknown") facts.nccl_version = value;
  } else if (remark.key == "gpu") {
    facts.gpu = value;
  } else if (remark.key == "ranks") {
    facts.ranks = whole(value);
  } else if (remark.key == "nodes") {
    facts.nodes = whole(value);
  } else if (remark.key == "gpus_per_node") {
    facts.gpus_per_node = whole(value);
  } else {
    facts.remarks.emplace_back(remark.key, value);
  }
}

}  // namespace

std::vector<MeasuredTable> read_collective_csv(std::string text, const std::string& name) {
  const CsvTable csv = CsvTable::parse(std::move(text), name);
  if (!csv.has_column("size_bytes"))
    throw InputError(fmt::format("{}: no column 'size_bytes'", name));
  if (!csv.has_column("time_us") && !csv.has_column("busbw_gbps") && !csv.has_column("algbw_gbps"))
    throw InputError(fmt::format("{}: neither time_us nor algbw_gbps nor busbw_gbps", name));
  MeasuredTable table;
  table.source = name;
  for (const CsvRemark& remark : csv.remarks()) read_remark(remark, table.facts);
  const std::string type(csv.remark("dtype"));
  for (std::size_t i = 0; i < csv.row_count(); ++i) {
    const CsvCell cell = csv.cell(i, "size_bytes");
    MeasuredRow row;
    if (!read_number(cell.text, row.size_bytes) || row.size_bytes <= 0)
      csv.fail(cell, fmt::format("expected a size in bytes, found '{}'", cell.text.substr(0, 40)));
    row.time_us = number_in(csv, i, "time_us");
    row.algbw_gbps = number_in(csv, i, "algbw_gbps");
    row.busbw_gbps = number_in(csv, i, "busbw_gbps");
    if (type != "unknown") row.type = type;
    row.line = static_cast<int>(cell.line);
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) table.line = table.rows.front().line;
  return {std::move(table)};
}

}  // namespace dsim
