#include <fmt/format.h>

#include <algorithm>

#include "calibrate/validate/training_report.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

Series points_of(const TrainingValidation& validation, std::string label, const char* colour,
                 bool headline) {
  Series series{std::move(label), colour, SeriesStyle::measured, {}};
  for (const TrainingRow& row : validation.rows)
    if (row.status == RowStatus::predicted && is_headline(row.grade) == headline)
      series.points.push_back({row.measured_s,
                               row.predicted_s,
                               {},
                               {},
                               fmt::format("{} {}: measured {}, predicted {} ({:+.1f} %)",
                                           row.source, row.id, format_time(row.measured_s),
                                           format_time(row.predicted_s), row.error() * 100)});
  return series;
}

Series guide(std::string label, double low, double high, double factor) {
  Series series{std::move(label), idle_colour, SeriesStyle::ideal, {}};
  for (const double x : {low, high}) series.points.push_back({x, x * factor, {}, {}, ""});
  return series;
}

}  // namespace

Figure training_figure(const TrainingValidation& validation) {
  double low = 1e30, high = 0;
  for (const TrainingRow& row : validation.rows) {
    if (row.status != RowStatus::predicted) continue;
    low = std::min({low, row.measured_s, row.predicted_s});
    high = std::max({high, row.measured_s, row.predicted_s});
  }
  const auto text = [](double seconds) { return format_time(seconds); };
  Panel panel{logarithmic_axis("measured step time", low, high, text),
              logarithmic_axis("predicted step time", low, high, text),
              {}};
  const double first = panel.x.low, last = panel.x.high;
  panel.series.push_back(guide("", first / 0.8, last, 0.8));
  panel.series.push_back(guide("equal", first, last, 1));
  panel.series.push_back(guide("", first, last / 1.2, 1.2));
  for (Series series : {points_of(validation, "graded B and C", communication_colour, false),
                        points_of(validation, "graded A", compute_colour, true)})
    if (!series.points.empty()) panel.series.push_back(std::move(series));
  const ErrorSummary headline = validation.headline();
  return {"Training: predicted against measured step times",
          fmt::format("{} rows; grade A: median error {:.1f} %, p90 {:.1f} %; dashed: 20 % off",
                      validation.overall().points, headline.median * 100, headline.p90 * 100),
          {panel}};
}

}  // namespace dsim
