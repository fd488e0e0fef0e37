#pragma once
#include <vector>

#include "model/collective/report/collective_report.h"
#include "model/plot/figure.h"

namespace dsim {

/// A measured size, for the circles.
struct MeasuredPoint {
  double size_bytes = 0, seconds = 0, busbw = 0;  ///< B/s
};

/// Busbw and time over the size, with their intervals, the limit of the bottleneck, measured points
/// and marks where algorithm or protocol change. Requires at least one point in the report.
Figure collective_figure(const CollectiveReport& report,
                         const std::vector<MeasuredPoint>& measured);

}  // namespace dsim
