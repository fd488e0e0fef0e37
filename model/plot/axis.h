#pragma once
#include <functional>
#include <string>
#include <vector>

namespace dsim {

enum class AxisScale { linear, logarithmic };

/// A tick: where it stands and what is written beside it.
struct Tick {
  double value = 0;
  std::string text;
};

/// One axis of a chart. Requires low < high, and low > 0 on a logarithmic one.
struct Axis {
  std::string label;  ///< quantity and unit: "throughput (sequences/s)"
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 1;
  std::vector<Tick> ticks;

  /// 0 at low, 1 at high.
  double position(double value) const;
};

using TickText = std::function<std::string(double)>;

/// About five ticks at 1, 2 or 5 times a power of ten; the range grows to the outer ones.
Axis linear_axis(std::string label, double low, double high, const TickText& text);
/// A logarithmic axis around [low, high] with ticks at 1, 2, 5 times powers of ten (at powers of
/// ten alone if the range is wide).
Axis logarithmic_axis(std::string label, double low, double high, const TickText& text);
/// A logarithmic axis for counts, with a tick at each of them. Requires counts rising and > 0.
Axis count_axis(std::string label, const std::vector<double>& counts);

}  // namespace dsim
