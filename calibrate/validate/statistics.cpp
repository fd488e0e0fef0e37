#include "calibrate/validate/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsim {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

ErrorSummary summarise(std::span<const double> ratios) {
  std::vector<double> errors;
  double sum = 0, sum_of_logs = 0;
  for (const double ratio : ratios) {
    errors.push_back(std::abs(ratio - 1));
    sum += errors.back();
    sum_of_logs += std::log(ratio);
  }
  const auto count = static_cast<double>(errors.size());
  return {errors.size(),         sum / count,           quantile(errors, 0.5),
          quantile(errors, 0.9), quantile(errors, 1.0), std::expm1(sum_of_logs / count)};
}

std::string closing_line(const ErrorSummary& summary, std::size_t not_predictable) {
  const auto percent = [](double fraction) {
    return std::isnan(fraction) ? std::string("nan") : fmt::format("{:.1f}", fraction * 100);
  };
  return fmt::format("median {} % p90 {} % worst {} % over {} points ({} rows not predictable)",
                     percent(summary.median), percent(summary.p90), percent(summary.worst),
                     summary.points, not_predictable);
}

}  // namespace dsim
