#include "model/plot/scaling_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/quantity.h"

namespace dsim {
namespace {

double gpus_of(const Report& report) { return static_cast<double>(report.gpus); }

std::string tip(const Report& report, double efficiency) {
  return fmt::format("{} GPUs: {} {}/s, step {}, efficiency {}, limited by {}", report.gpus,
                     format_count(report.throughput), report.sample_unit,
                     format_time(report.step_time_s), format_percent(efficiency),
                     report.bottleneck.resource);
}

Panel throughput_panel(const Scaling& scaling, const Axis& gpus) {
  const Report& first = scaling.points.front();
  Series simulated{"simulated", compute_colour, SeriesStyle::line, {}};
  Series ideal{"ideal", idle_colour, SeriesStyle::ideal, {}};
  double low = first.throughput, high = first.throughput;
  for (std::size_t i = 0; i < scaling.points.size(); ++i) {
    const Report& report = scaling.points[i];
    ChartPoint point{
        gpus_of(report), report.throughput, {}, {}, tip(report, scaling.efficiency_to_first(i))};
    if (report.step_time_low_s > 0 && report.step_time_high_s >= report.step_time_low_s) {
      point.low = report.throughput * report.step_time_s / report.step_time_high_s;
      point.high = report.throughput * report.step_time_s / report.step_time_low_s;
    }
    const double perfect = first.throughput * gpus_of(report) / gpus_of(first);
    low = std::min({low, report.throughput, point.low.value_or(low)});
    high = std::max({high, perfect, report.throughput, point.high.value_or(high)});
    simulated.points.push_back(point);
    ideal.points.push_back({gpus_of(report), perfect, {}, {}, ""});
  }
  return {
      gpus,
      logarithmic_axis(fmt::format("throughput ({}/s)", first.sample_unit), low, high, format_si),
      {ideal, simulated}};
}

Panel efficiency_panel(const Scaling& scaling, const Axis& gpus) {
  const Report& first = scaling.points.front();
  Series to_one{"vs 1 GPU", compute_colour, SeriesStyle::line, {}};
  Series to_first{
      fmt::format("vs {} GPUs", first.gpus), data_colour, SeriesStyle::line, {}};
  Series ideal{"ideal", idle_colour, SeriesStyle::ideal, {}};
  double low = 1, high = 1;
  for (std::size_t i = 0; i < scaling.points.size(); ++i) {
    const Report& report = scaling.points[i];
    const auto add = [&](Series& series, double efficiency) {
      series.points.push_back({gpus_of(report), efficiency, {}, {}, tip(report, efficiency)});
      low = std::min(low, efficiency);
      high = std::max(high, efficiency);
    };
    if (report.scaling_efficiency) add(to_one, *report.scaling_efficiency);
    if (first.gpus > 1) add(to_first, scaling.efficiency_to_first(i));
    ideal.points.push_back({gpus_of(report), 1, {}, {}, ""});
  }
  const double from = low < 0.5 ? 0 : std::floor((low - 0.05) * 10) / 10;
  const auto text = [](double value) { return fmt::format("{:.0f} %", value * 100); };
  return {gpus, linear_axis("scaling efficiency (%)", from, high, text), {ideal, to_one, to_first}};
}

}  // namespace

Figure scaling_figure(const Scaling& scaling) {
  const Report& last = scaling.points.back();
  std::vector<double> counts;
  for (const Report& report : scaling.points) counts.push_back(gpus_of(report));
  const Axis gpus = count_axis("GPUs", counts);
  std::string title = fmt::format("{}, {}", last.model_title, last.precision);
  if (scaling.mode == ScalingMode::weak)
    title += fmt::format(", micro-batch {}", last.micro_batch);
  else
    title += fmt::format(
        ", global batch {}",
        format_count(static_cast<double>(last.micro_batch * last.accumulate * last.gpus)));
  title += fmt::format(": {} scaling", name_of(scaling.mode));
  std::string subtitle = last.topology;
  if (std::any_of(scaling.points.begin(), scaling.points.end(), [](const Report& report) {
        return report.step_time_high_s > report.step_time_low_s;
      }))
    subtitle += " · band: 90 % interval";
  return {title, subtitle, {throughput_panel(scaling, gpus), efficiency_panel(scaling, gpus)}};
}

}  // namespace dsim
