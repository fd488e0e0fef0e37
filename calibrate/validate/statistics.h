#pragma once
// What is said of a set of predictions: |predicted/measured - 1| and the geometric bias.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dsim {

/// Fractions (0.08 = 8 %). All are NaN when there is no point.
struct ErrorSummary {
  std::size_t points = 0;
  double mean = 0;    ///< of the absolute errors (MAPE)
  double median = 0;  ///< of the absolute errors
  double p90 = 0;     ///< of the absolute errors, linear between ranks
  double worst = 0;   ///< largest absolute error
  double bias = 0;    ///< geometric mean of predicted/measured, less 1
};

/// `ratios` are predicted/measured, each finite and > 0.
ErrorSummary summarise(std::span<const double> ratios);

/// The q-quantile (0..1) of values, linear between the two nearest ranks (position q (n - 1)). NaN
/// if there are none.
double quantile(std::vector<double> values, double q);

/// "median 8.1 % p90 22.0 % worst 61.0 % over 1204 points (37 rows not predictable)": the last line
/// of every validate command. Without points the three figures read "nan".
std::string closing_line(const ErrorSummary& summary, std::size_t not_predictable);

}  // namespace dsim
