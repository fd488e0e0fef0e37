#include "calibrate/validate/collective/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dsim {
namespace {

constexpr double fall = .95, jump = 1.25;

struct PredictedSwitch {
  std::int64_t bytes;
  std::string change;
};

using Points = std::vector<const ComparedPoint*>;

Points compared_points(const MeasuredRun& run) {
  Points points;
  for (const ComparedPoint& point : run.points)
    if (point.status == PointStatus::compared) points.push_back(&point);
  std::ranges::stable_sort(points, {}, [](const ComparedPoint* p) { return p->bytes; });
  return points;
}

std::vector<PredictedSwitch> predicted_switches(const Points& points) {
  std::vector<PredictedSwitch> switches;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ComparedPoint &a = *points[i - 1], &b = *points[i];
    if (a.algorithm != b.algorithm || a.protocol != b.protocol)
      switches.push_back({b.bytes, fmt::format("{} {} to {} {}", a.algorithm, a.protocol,
                                               b.algorithm, b.protocol)});
  }
  return switches;
}

/// Measured time of point i over that of point i - 1; 0 unless the size doubles there.
double ratio_at(const Points& points, std::size_t i) {
  if (i == 0 || i >= points.size() || points[i]->bytes != 2 * points[i - 1]->bytes) return 0;
  return points[i]->measured_s / points[i - 1]->measured_s;
}

bool jumps(const Points& points, std::size_t i) {
  const double before = ratio_at(points, i - 1), here = ratio_at(points, i),
               after = ratio_at(points, i + 1);
  return before > 0 && after > 0 && here > jump * std::max(before, after);
}

}  // namespace

std::vector<SwitchSize> switch_sizes(const CollectiveValidation& validation) {
  std::vector<SwitchSize> switches;
  for (const MeasuredRun& run : validation.runs) {
    const StatedRun& stated = run.plan.series->stated;
    if (run.health != Health::healthy || !stated.algorithm.empty() || !stated.protocol.empty())
      continue;
    const Points points = compared_points(run);
    const auto predicted = predicted_switches(points);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double ratio = ratio_at(points, i);
      const bool falls = ratio > 0 && ratio < fall;
      if (!falls && !jumps(points, i)) continue;
      SwitchSize found{.run = run.plan.series->name, .bytes = points[i]->bytes, .falls = falls};
      const auto octaves = [&](std::int64_t bytes) {
        return std::abs(std::log2(static_cast<double>(bytes) / static_cast<double>(found.bytes)));
      };
      for (const PredictedSwitch& one : predicted)
        if (found.predicted == 0 || octaves(one.bytes) < found.octaves) {
          found.predicted = one.bytes;
          found.change = one.change;
          found.octaves = octaves(one.bytes);
        }
      switches.push_back(std::move(found));
    }
  }
  return switches;
}

}  // namespace dsim
