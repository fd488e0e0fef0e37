#include "calibrate/validate/collective/measured.h"

#include <cmath>

#include "calibrate/validate/row_inputs.h"
#include "model/collective/predictor.h"

namespace dsim {
namespace {

constexpr double coarsest_rounding = .05;

/// Half a unit of the last printed digit over the value.
double rounding_of(std::string_view text, double value) {
  const std::size_t point = text.find('.');
  const double digits =
      point == std::string_view::npos ? 0 : static_cast<double>(text.size() - point - 1);
  return .5 * std::pow(10, -digits) / value;
}

std::optional<double> positive(std::string_view text) {
  const auto value = parse_table_number(text);
  return value && *value > 0 ? value : std::nullopt;
}

MeasuredTime scaled(std::string_view text, double unit) {
  if (const auto value = positive(text)) return {*value * unit, ""};
  return {std::nullopt,
          text.empty() ? "nothing measured" : "what was measured is no number above 0"};
}

}  // namespace

MeasuredTime measured_time(const CollectiveSeries& series, const SeriesRow& row, CollectiveOp op,
                           std::uint32_t ranks) {
  const auto cell = [&](std::string_view column) {
    return series.table->cell(row.row, column).text;
  };
  switch (series.measured) {
    case MeasuredColumns::latency_ms:
      return scaled(cell("latency"), 1e-3);
    case MeasuredColumns::vtrain:
      return scaled(cell("time_ns"), 1e-9);
    case MeasuredColumns::transports:
      return scaled(cell("time_us_oop"), 1e-6);
    case MeasuredColumns::nccl_tests:
      break;
  }
  const std::string_view time = cell("time_us");
  if (!time.empty()) return scaled(time, 1e-6);
  const std::string_view rate = cell("busbw_gbps");
  const auto busbw = positive(rate);
  if (!busbw) return scaled(rate, 1);
  if (rounding_of(rate, *busbw) > coarsest_rounding)
    return {std::nullopt, "only a bus bandwidth of one digit was printed"};
  return {static_cast<double>(row.bytes) * busbw_factor(op, ranks) / (*busbw * 1e9), ""};
}

}  // namespace dsim
