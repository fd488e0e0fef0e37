#include "calibrate/validate/row_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "calibrate/validate/text_pattern.h"

namespace dsim {
namespace {

constexpr std::array<std::string_view, 18> measured_columns{
    "step_time_s", "step_time_ms", "throughput",     "tflops_per_gpu",     "mfu",
    "hfu",         "hfu_percent",  "peak_mem_gb",    "scaling_efficiency", "time_us",
    "time_ns",     "latency",      "algbw_gbps",     "busbw_gbps",         "time_us_oop",
    "busbw_oop",   "time_us_ip",   "time_inplace_ns"};

constexpr double largest_count = 1099511627776.0;  // 2^40

}  // namespace

std::string_view name_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::none:
      return "none";
    case Obstacle::layout:
      return "layout";
    case Obstacle::strategy:
      return "strategy";
    case Obstacle::framework:
      return "framework";
    case Obstacle::recompute:
      return "recomputation";
    case Obstacle::model:
      return "model";
    case Obstacle::precision:
      return "precision";
    case Obstacle::hardware:
      return "hardware";
    case Obstacle::batch:
      return "batch";
    case Obstacle::number:
      return "number";
    case Obstacle::simulation:
      return "refused by the simulator";
    case Obstacle::measurement:
      return "nothing measured";
    case Obstacle::padding:
      return "ratios only";
    case Obstacle::excluded:
      return "excluded";
  }
  return "";
}

bool is_measured_column(std::string_view column) {
  return std::ranges::find(measured_columns, column) != measured_columns.end();
}

std::optional<double> parse_table_number(std::string_view text) {
  // Commas may only stand between groups of three digits: "1,281,167".
  const std::size_t whole = std::min(text.find_first_not_of("+-0123456789,"), text.size());
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      plain += text[i];
    } else if (i == 0 || i > whole || (whole - i) % 4 != 0 || text[i - 1] == ',') {
      return std::nullopt;
    }
  }
  if (plain.starts_with('+')) plain.erase(0, 1);
  double value = 0;
  const char* end = plain.data() + plain.size();
  const auto [stop, error] = std::from_chars(plain.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

CsvCell RowInputs::cell(std::string_view column) const {
  require(!is_measured_column(column), "a prediction does not read what was measured");
  return table_->cell(row_, column);
}

std::string_view RowInputs::text(std::string_view column) const {
  const CsvCell found = cell(column);
  const std::string_view value = table_->has_column(column) ? found.text : table_->remark(column);
  if (!matches(value, "=n-a|=na|=none-stated|=unknown|=todo") && !normalised(value).empty())
    return value;
  const auto found_fill =
      std::ranges::find(filled_, column, &std::pair<std::string_view, std::string_view>::first);
  return found_fill == filled_.end() ? std::string_view{} : found_fill->second;
}

void RowInputs::fill(std::string_view column, std::string_view value) {
  if (text(column).empty()) filled_.emplace_back(column, value);
}

std::optional<double> RowInputs::number(std::string_view column) const {
  const std::string_view value = text(column);
  if (value.empty()) return std::nullopt;
  if (const auto number = parse_table_number(value)) return number;
  throw Unpredictable{Obstacle::number, fmt::format("{} '{}' is not a number ({})", column, value,
                                                    table_->place(cell(column)))};
}

std::int64_t RowInputs::count(std::string_view column, std::int64_t otherwise) const {
  const auto value = number(column);
  if (!value) return otherwise;
  if (*value >= 1 && *value <= largest_count && *value == std::floor(*value))
    return static_cast<std::int64_t>(*value);
  throw Unpredictable{Obstacle::number,
                      fmt::format("{} '{}' is not a whole number of at least 1 ({})", column,
                                  text(column), table_->place(cell(column)))};
}

std::uint32_t RowInputs::line() const { return table_->cell(row_, std::size_t{0}).line; }

}  // namespace dsim
