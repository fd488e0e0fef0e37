#include "calibrate/validate/compute/gemm_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

namespace dsim {
namespace {

struct TimeColumn {
  std::string_view name;
  double unit;  ///< s
};

constexpr TimeColumn time_columns[] = {{"latency_us", 1e-6}, {"time_us", 1e-6}, {"us", 1e-6},
                                       {"latency_ms", 1e-3}, {"time_ms", 1e-3}, {"ms", 1e-3},
                                       {"time_s", 1},        {"seconds", 1}};

constexpr double largest_size = 1 << 30;

const TimeColumn* time_column(const CsvTable& table) {
  for (const TimeColumn& column : time_columns)
    if (table.has_column(column.name)) return &column;
  return nullptr;
}

std::optional<double> number(const CsvTable& table, const CsvCell& cell) {
  if (cell.text.empty()) return std::nullopt;
  double value = 0;
  const char* end = cell.text.data() + cell.text.size();
  const auto [stop, error] = std::from_chars(cell.text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value))
    table.fail(cell, fmt::format("'{}' is no number", cell.text));
  return value;
}

/// A size of a matrix: positive and whole. The problem is told where it is not.
std::int64_t size(const CsvTable& table, std::size_t row, std::string_view column,
                  std::string& problem) {
  const auto value = number(table, table.cell(row, column));
  if (!value || *value < 1 || *value > largest_size || *value != std::floor(*value)) {
    if (problem.empty())
      problem = value ? fmt::format("{} = {} is no size (1 to {})", column, *value, largest_size)
                      : fmt::format("no {} stated", column);
    return 0;
  }
  return static_cast<std::int64_t>(*value);
}

/// What a name like "gemm_bf16_a100" says of dtype and GPU.
struct NameFacts {
  std::string gpu, dtype;
};

NameFacts facts_in(const std::string& name) {
  constexpr std::string_view prefix = "gemm_";
  const std::string stem = std::filesystem::path(name).stem().string();
  if (!stem.starts_with(prefix)) return {};
  const std::size_t gap = stem.find('_', prefix.size());
  if (gap == std::string::npos) return {};
  return {stem.substr(gap + 1), stem.substr(prefix.size(), gap - prefix.size())};
}

/// The first of a column, a remark and the name that says it.
std::string stated(const CsvTable& table, std::size_t row,
                   std::initializer_list<std::string_view> keys, const std::string& from_name) {
  for (const std::string_view key : keys)
    if (const CsvCell cell = table.cell(row, key); !cell.text.empty())
      return std::string(cell.text);
  for (const std::string_view key : keys)
    if (const std::string_view remark = table.remark(key); !remark.empty())
      return std::string(remark);
  return from_name;
}

}  // namespace

bool is_gemm_table(const CsvTable& table) {
  return table.has_column("m") && table.has_column("n") && table.has_column("k") &&
         time_column(table) != nullptr;
}

bool is_fitted_sample(const CsvTable& table) {
  return table.remarks().empty() &&
         table.columns() == std::vector<std::string>{"m", "n", "k", "latency_us"};
}

std::vector<StatedGemm> stated_gemms(const CsvTable& table) {
  const NameFacts name = facts_in(table.name());
  std::vector<StatedGemm> result;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    StatedGemm gemm;
    gemm.row = row;
    gemm.line = table.cell(row, std::size_t{0}).line;
    gemm.gpu = stated(table, row, {"gpu", "device"}, name.gpu);
    gemm.dtype = stated(table, row, {"dtype", "precision"}, name.dtype);
    gemm.m = size(table, row, "m", gemm.problem);
    gemm.n = size(table, row, "n", gemm.problem);
    gemm.k = size(table, row, "k", gemm.problem);
    if (!table.cell(row, "batch").text.empty())
      gemm.batch = size(table, row, "batch", gemm.problem);
    result.push_back(std::move(gemm));
  }
  return result;
}

std::optional<double> measured_gemm_time(const CsvTable& table, std::size_t row) {
  const TimeColumn* column = time_column(table);
  if (column == nullptr) return std::nullopt;
  const auto value = number(table, table.cell(row, column->name));
  if (!value || *value <= 0) return std::nullopt;
  return *value * column->unit;
}

}  // namespace dsim
