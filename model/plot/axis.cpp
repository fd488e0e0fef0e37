#include "model/plot/axis.h"

#include <algorithm>
#include <cmath>

#include "sim/base/quantity.h"

namespace dsim {

double Axis::position(double value) const {
  if (scale == AxisScale::linear) return (value - low) / (high - low);
  return std::log2(value / low) / std::log2(high / low);
}

Axis linear_axis(std::string label, double low, double high, const TickText& text) {
  if (!(high > low)) high = low + 1;
  const double rough = (high - low) / 5;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * decade >= rough * 0.999) step = factor * decade;
  const auto first = static_cast<long>(std::floor(low / step + 1e-9));
  const auto last = static_cast<long>(std::ceil(high / step - 1e-9));
  Axis axis{std::move(label),
            AxisScale::linear,
            static_cast<double>(first) * step,
            static_cast<double>(last) * step,
            {}};
  for (long i = first; i <= last; ++i)
    axis.ticks.push_back({static_cast<double>(i) * step, text(static_cast<double>(i) * step)});
  return axis;
}

Axis logarithmic_axis(std::string label, double low, double high, const TickText& text) {
  if (!(high > low)) high = low * 2;
  const double margin = std::pow(high / low, 0.04);
  Axis axis{std::move(label), AxisScale::logarithmic, low / margin, high * margin, {}};
  const bool wide = high / low > 1e4;
  for (int power = static_cast<int>(std::floor(std::log10(axis.low)));
       power <= static_cast<int>(std::floor(std::log10(axis.high))); ++power)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, power);
      if (value < axis.low || value > axis.high || (wide && factor != 1)) continue;
      axis.ticks.push_back({value, text(value)});
    }
  if (axis.ticks.size() < 2) axis.ticks = {{low, text(low)}, {high, text(high)}};
  return axis;
}

Axis count_axis(std::string label, const std::vector<double>& counts) {
  const double low = counts.front(), high = std::max(counts.back(), low * 2);
  const double margin = std::pow(high / low, 0.04);
  Axis axis{std::move(label), AxisScale::logarithmic, low / margin, high * margin, {}};
  for (const double count : counts) axis.ticks.push_back({count, format_count(count)});
  return axis;
}

}  // namespace dsim
