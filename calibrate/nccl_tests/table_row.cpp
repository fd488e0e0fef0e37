#include "calibrate/nccl_tests/table_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/nccl_tests/log_line.h"

namespace dsim {
namespace {

using Words = std::vector<std::string_view>;

// ncclDataType names in NVIDIA/nccl-tests src/common.cu; "fp8_e4m3" and "fp8_e5m2" are RCCL's.
constexpr std::array<std::string_view, 17> type_names{
    "int8",   "uint8", "int32",    "uint32", "int64",  "uint64",   "half",     "float", "double",
    "bfloat", "char",  "bfloat16", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2", "int"};
constexpr std::array<std::string_view, 7> operation_names{"sum", "prod", "max",   "min",
                                                          "avg", "none", "mulsum"};

template <class Names>
bool is_one_of(std::string_view word, const Names& names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

TableColumn column_named(std::string_view name) {
  if (name == "redop") return TableColumn::redop;
  if (name == "root") return TableColumn::root;
  if (name == "time" || name == "cputime") return TableColumn::time;
  if (name == "algbw") return TableColumn::algbw;
  if (name == "busbw") return TableColumn::busbw;
  if (name == "#wrong" || name == "error" || name == "res") return TableColumn::wrong;
  return TableColumn::other;
}

/// Columns of a row that came without a header: [redop] [root] and one or two groups of four.
std::vector<TableColumn> guess_columns(const Words& words, std::size_t after_type) {
  using enum TableColumn;
  std::vector<TableColumn> columns{size, count, type};
  if (after_type < words.size() && is_one_of(words[after_type], operation_names)) {
    columns.push_back(redop);
    ++after_type;
  }
  std::size_t values = 0;
  double number = 0;
  while (after_type + values < words.size() &&
         (words[after_type + values] == "N/A" || read_number(words[after_type + values], number)))
    ++values;
  if (values == 5 || values >= 9) columns.push_back(root);
  const std::size_t groups = values >= 8 ? 2 : 1;
  for (std::size_t i = 0; i < groups; ++i)
    columns.insert(columns.end(), {time, algbw, busbw, wrong});
  return columns;
}

/// Index of the type where "size count type" begins a row; 0 if nowhere.
std::size_t find_type(const Words& words) {
  std::int64_t number = 0;
  for (std::size_t i = 2; i < words.size(); ++i)
    if (is_one_of(words[i], type_names) && read_number(words[i - 1], number) &&
        read_number(words[i - 2], number))
      return i;
  return 0;
}

TableLine unreadable(std::string reason) {
  TableLine line;
  line.kind = TableLine::Kind::unreadable;
  line.reason = std::move(reason);
  return line;
}

/// Fills the row from the words behind its type.
class RowReader {
 public:
  RowReader(const Words& words, std::size_t at, const std::vector<TableColumn>& columns)
      : words_(words), at_(at), columns_(columns) {}

  /// Why the row cannot be used, or "".
  std::string read(MeasuredRow& row) {
    bool in_place = false;
    for (std::size_t i = 3; i < columns_.size(); ++i) {
      const TableColumn column = columns_[i];
      if (column == TableColumn::redop) {
        if (at_ < words_.size() && is_one_of(words_[at_], operation_names))
          row.redop = words_[at_++];
        continue;  // all_gather of 2.9 leaves it blank
      }
      if (at_ >= words_.size()) return in_place ? "" : "it ends early";
      const std::string_view word = words_[at_++];
      if (column == TableColumn::root) {
        std::int64_t root = 0;
        if (!read_number(word, root)) return wrong_value("root", word);
        row.root = root;
      } else if (column == TableColumn::wrong) {
        std::int64_t wrong = 0;
        if (!in_place && read_number(word, wrong)) row.wrong = wrong;
        in_place = true;
      } else if (column != TableColumn::other) {
        double value = 0;
        if (!read_number(word, value) || value < 0)
          return in_place ? "" : wrong_value("value", word);
        set(row, column, in_place, value);
      }
    }
    return "";
  }

 private:
  static std::string wrong_value(std::string_view what, std::string_view word) {
    return fmt::format("'{}' is no {}", word.substr(0, 24), what);
  }
  static void set(MeasuredRow& row, TableColumn column, bool in_place, double value) {
    if (column == TableColumn::time) (in_place ? row.in_place_time_us : row.time_us) = value;
    if (column == TableColumn::algbw) (in_place ? row.in_place_algbw_gbps : row.algbw_gbps) = value;
    if (column == TableColumn::busbw) (in_place ? row.in_place_busbw_gbps : row.busbw_gbps) = value;
  }

  const Words& words_;
  std::size_t at_;
  const std::vector<TableColumn>& columns_;
};

/// The time printed and the bandwidth printed belong together, within what printing rounds away.
bool contradicts(const MeasuredRow& row) {
  if (!row.time_us || !row.algbw_gbps || *row.time_us <= 0) return false;
  const double expected = static_cast<double>(row.size_bytes) / *row.time_us * 1e-3;
  return std::abs(*row.algbw_gbps - expected) > 0.02 + 0.02 * expected;
}

}  // namespace

std::vector<TableColumn> read_table_header(std::string_view line) {
  using enum TableColumn;
  const Words words = log_words(line);
  for (std::size_t i = 0; i + 4 < words.size(); ++i) {
    if (words[i] != "size" || words[i + 1] != "count" || words[i + 2] != "type") continue;
    std::vector<TableColumn> columns{size, count, type};
    for (std::size_t j = i + 3; j < words.size(); ++j) columns.push_back(column_named(words[j]));
    if (std::find(columns.begin(), columns.end(), busbw) == columns.end()) return {};
    return columns;
  }
  return {};
}

TableLine read_table_row(std::string_view line, const std::vector<TableColumn>& columns) {
  const Words words = log_words(line);
  const std::size_t type = find_type(words);
  if (type == 0) return {};
  TableLine result;
  MeasuredRow& row = result.row;
  std::int64_t count = 0;
  read_number(words[type - 2], row.size_bytes);
  read_number(words[type - 1], count);
  if (row.size_bytes < 0 || count < 0) return unreadable("its size is negative");
  row.count = count;
  row.type = words[type];
  const std::vector<TableColumn> expected =
      columns.empty() ? guess_columns(words, type + 1) : columns;
  const std::string reason = RowReader(words, type + 1, expected).read(row);
  if (!reason.empty()) return unreadable(reason);
  if (contradicts(row)) return unreadable("its time and its bandwidth contradict each other");
  result.kind = TableLine::Kind::row;
  return result;
}

}  // namespace dsim
