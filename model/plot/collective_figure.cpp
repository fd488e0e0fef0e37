#include "model/plot/collective_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/collective/report/algorithm_names.h"
#include "model/collective/report/sizes.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

double bytes_of(const CollectivePoint& point) { return static_cast<double>(point.size.count); }

std::string choice_of(const CollectivePrediction& p) {
  return fmt::format("{}/{}", p.algorithm ? nccl_spelling(p.algorithm->name) : "-",
                     name_of(p.protocol));
}

/// Powers of two around all sizes, at most nine of them.
Axis size_axis(double low, double high) {
  const int first = static_cast<int>(std::floor(std::log2(low)));
  const int last = std::max(static_cast<int>(std::ceil(std::log2(high))), first + 1);
  const double margin = std::exp2(0.03 * (last - first));
  Axis axis{"size (B; K, M, G are powers of 1024)",
            AxisScale::logarithmic,
            std::exp2(first) / margin,
            std::exp2(last) * margin,
            {}};
  const int step = (last - first) / 9 + 1;
  for (int power = first; power <= last; power += step)
    axis.ticks.push_back({std::exp2(power), collective_size_text(Bytes{std::int64_t{1} << power})});
  return axis;
}

/// Where algorithm or protocol change, between the two sizes.
std::vector<Mark> switch_marks(const CollectiveReport& report) {
  std::vector<Mark> marks;
  for (std::size_t i = 1; i < report.points.size(); ++i) {
    const std::string before = choice_of(report.points[i - 1].prediction),
                      now = choice_of(report.points[i].prediction);
    if (before != now)
      marks.push_back(
          {std::sqrt(bytes_of(report.points[i - 1]) * bytes_of(report.points[i])), now});
  }
  return marks.size() > 6 ? std::vector<Mark>() : marks;
}

std::string tip(const CollectivePoint& point) {
  const CollectivePrediction& p = point.prediction;
  return fmt::format("{}: {}, busbw {}, {}, {} channels{}{}", collective_size_text(point.size),
                     format_time(p.seconds), format_bandwidth_bytes(Bandwidth{p.busbw}),
                     choice_of(p), p.channels, p.bottleneck.empty() ? "" : ", limited by ",
                     p.bottleneck);
}

std::string gigabytes(double value) { return fmt::format("{:g}", value); }

Panel busbw_panel(const CollectiveReport& report, const std::vector<MeasuredPoint>& measured,
                  const Axis& sizes) {
  Series predicted{"predicted", communication_colour, SeriesStyle::line, {}};
  Series circles{"measured", data_colour, SeriesStyle::measured, {}};
  Series limit{"limit", idle_colour, SeriesStyle::ideal, {}};
  double high = 0, peak = 0;
  for (const CollectivePoint& point : report.points) {
    const CollectivePrediction& p = point.prediction;
    ChartPoint at{bytes_of(point), p.busbw * 1e-9, {}, {}, tip(point)};
    if (p.low > 0 && p.high >= p.low) {
      at.low = at.y * p.seconds / p.high;
      at.high = at.y * p.seconds / p.low;
    }
    high = std::max({high, at.y, at.high.value_or(0)});
    peak = std::max(peak, p.limit_busbw * 1e-9);
    predicted.points.push_back(at);
  }
  for (const MeasuredPoint& point : measured) {
    circles.points.push_back({point.size_bytes,
                              point.busbw * 1e-9,
                              {},
                              {},
                              fmt::format("measured: {}, busbw {}", format_time(point.seconds),
                                          format_bandwidth_bytes(Bandwidth{point.busbw}))});
    high = std::max(high, point.busbw * 1e-9);
  }
  if (peak > 0 && peak < 4 * high) {
    limit.points = {{sizes.low, peak, {}, {}, ""},
                    {bytes_of(report.points.back()), peak, {}, {}, ""}};
    high = std::max(high, peak);
  }
  return {sizes,
          linear_axis("bus bandwidth (GB/s)", 0, high, gigabytes),
          {limit, predicted, circles},
          switch_marks(report)};
}

Panel time_panel(const CollectiveReport& report, const std::vector<MeasuredPoint>& measured,
                 const Axis& sizes) {
  Series predicted{"predicted", communication_colour, SeriesStyle::line, {}};
  Series circles{"measured", data_colour, SeriesStyle::measured, {}};
  double low = report.points.front().prediction.seconds * 1e6, high = low;
  for (const CollectivePoint& point : report.points) {
    const CollectivePrediction& p = point.prediction;
    ChartPoint at{bytes_of(point), p.seconds * 1e6, {}, {}, tip(point)};
    if (p.low > 0 && p.high >= p.low) {
      at.low = p.low * 1e6;
      at.high = p.high * 1e6;
    }
    low = std::min({low, at.y, at.low.value_or(low)});
    high = std::max({high, at.y, at.high.value_or(high)});
    predicted.points.push_back(at);
  }
  for (const MeasuredPoint& point : measured) {
    circles.points.push_back({point.size_bytes,
                              point.seconds * 1e6,
                              {},
                              {},
                              fmt::format("measured: {}", format_time(point.seconds))});
    low = std::min(low, point.seconds * 1e6);
    high = std::max(high, point.seconds * 1e6);
  }
  return {sizes, logarithmic_axis("time (us)", low, high, format_count), {predicted, circles}};
}

}  // namespace

Figure collective_figure(const CollectiveReport& report,
                         const std::vector<MeasuredPoint>& measured) {
  double low = bytes_of(report.points.front()), high = low;
  for (const CollectivePoint& point : report.points) {
    low = std::min(low, bytes_of(point));
    high = std::max(high, bytes_of(point));
  }
  for (const MeasuredPoint& point : measured) {
    low = std::min(low, point.size_bytes);
    high = std::max(high, point.size_bytes);
  }
  const Axis sizes = size_axis(low, high);
  std::string title =
      fmt::format("{} over {} GPUs, {}", name_of(report.op), report.ranks, name_of(report.type));
  if (!report.version.empty()) title += ", NCCL " + report.version;
  return {title,
          report.topology + " · band: 90 % interval",
          {busbw_panel(report, measured, sizes), time_panel(report, measured, sizes)}};
}

}  // namespace dsim
