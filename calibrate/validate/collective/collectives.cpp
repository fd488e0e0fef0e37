#include "calibrate/validate/collective/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "calibrate/validate/collective/measured.h"
#include "model/collective/algorithm.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

constexpr double setup_factor = 1.5;

std::string first_line(std::string_view what) {
  what = what.substr(0, what.find('\n'));
  if (what.starts_with("error: ")) what.remove_prefix(7);
  return std::string(what);
}

Health health_of(const StatedRun& run) {
  if (run.healthy == "yes") return Health::healthy;
  return run.healthy == "no" ? Health::faulty : Health::unknown;
}

void refuse_all(MeasuredRun& run, const std::string& reason) {
  for (ComparedPoint& point : run.points) point.reason = reason;
}

void note_constants(std::vector<ConstantInUse>& known, CollectiveConstants& constants) {
  constants.visit([&](std::string_view name, Constant& constant) {
    const auto found = std::ranges::find_if(known, [&](const ConstantInUse& other) {
      return other.name == name && other.constant.value == constant.value &&
             other.constant.source == constant.source;
    });
    if (found == known.end())
      known.push_back({std::string(name), constant, 1});
    else
      ++found->runs;
  });
}

void predict_point(CollectivePredictor& predictor, const CollectivePlan& plan,
                   ComparedPoint& point) {
  try {
    CollectiveQuery query;
    query.op = plan.op;
    query.size = Bytes{point.bytes};
    query.type = plan.type;
    const CollectivePrediction p = predictor.predict(query);
    if (!std::isfinite(p.seconds) || p.seconds <= 0) {
      point.reason = "no time";
      return;
    }
    point.status = PointStatus::compared;
    point.predicted_s = p.seconds;
    point.low_s = p.low;
    point.high_s = p.high;
    point.algorithm = p.algorithm != nullptr ? p.algorithm->name : "";
    point.protocol = name_of(p.protocol);
    point.channels = p.channels;
    point.bottleneck = p.bottleneck;
  } catch (const InputError& error) {
    point.reason = first_line(error.what());
  }
}

void predict_run(MeasuredRun& run, std::vector<ConstantInUse>& constants) {
  if (!run.plan.setup) return refuse_all(run, run.plan.reason);
  try {
    CollectivePredictor predictor(*run.plan.setup);
    note_constants(constants, predictor.constants());
    for (ComparedPoint& point : run.points) predict_point(predictor, run.plan, point);
  } catch (const InputError& error) {
    refuse_all(run, first_line(error.what()));
  }
}

void compare_run(MeasuredRun& run) {
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    ComparedPoint& point = run.points[i];
    if (point.status != PointStatus::compared) continue;
    const MeasuredTime measured =
        measured_time(*run.plan.series, run.plan.series->rows[i], run.plan.op, run.plan.ranks);
    if (measured.seconds) {
      point.measured_s = *measured.seconds;
    } else {
      point.status = PointStatus::not_predictable;
      point.reason = measured.reason;
    }
  }
  if (run.points.size() < 2) return;
  ComparedPoint& first = run.points[0];
  if (first.status == PointStatus::compared && run.points[1].measured_s > 0 &&
      first.bytes <= run.points[1].bytes &&
      first.measured_s > setup_factor * run.points[1].measured_s) {
    first.status = PointStatus::setup;
    first.reason = "first row above 1.5x the second: connection setup";
  }
}

std::vector<MeasuredRun> plan_runs(std::span<const CsvTable> tables,
                                   CollectiveValidation& validation) {
  for (const CsvTable& table : tables)
    if (!read_series(table, validation.series, validation.gaps))
      validation.notices.push_back(
          fmt::format("{}: left out, no table of collectives", table.name()));
  std::vector<MeasuredRun> runs;
  for (CollectivePlan& plan : plan_collectives(validation.series)) {
    MeasuredRun& run = runs.emplace_back();
    run.health = health_of(plan.series->stated);
    for (const SeriesRow& row : plan.series->rows)
      run.points.push_back({.line = row.line, .bytes = row.bytes});
    run.plan = std::move(plan);
  }
  return runs;
}

}  // namespace

std::string_view name_of(PointStatus status) {
  switch (status) {
    case PointStatus::compared:
      return "compared";
    case PointStatus::setup:
      return "connection_setup";
    case PointStatus::not_predictable:
      return "not_predictable";
  }
  return "";
}

std::string_view name_of(Health health) {
  switch (health) {
    case Health::healthy:
      return "yes";
    case Health::unknown:
      return "unknown";
    case Health::faulty:
      return "no";
  }
  return "";
}

std::string size_class(std::int64_t bytes) {
  if (bytes < std::int64_t{64} << 10) return "< 64 KiB";
  return bytes <= std::int64_t{16} << 20 ? "64 KiB to 16 MiB" : "> 16 MiB";
}

ErrorSummary CollectiveValidation::errors(const Filter& filter, Ratio ratio) const {
  std::vector<double> ratios;
  for (const MeasuredRun& run : runs)
    for (const ComparedPoint& point : run.points)
      if (point.status == PointStatus::compared && filter(run, point) && ratio(point) > 0)
        ratios.push_back(ratio(point));
  return summarise(ratios);
}

ErrorSummary CollectiveValidation::overall(Health health) const {
  return errors(
      [&](const MeasuredRun& run, const ComparedPoint&) { return run.health == health; },
      [](const ComparedPoint& point) { return point.ratio(); });
}

std::vector<ErrorGroup> CollectiveValidation::by(Health health, const Key& key) const {
  std::vector<std::string> names;
  std::vector<std::vector<double>> ratios;
  for (const MeasuredRun& run : runs) {
    if (run.health != health) continue;
    for (const ComparedPoint& point : run.points) {
      if (point.status != PointStatus::compared) continue;
      const std::string name = key(run, point);
      const auto found = std::ranges::find(names, name);
      const auto index = static_cast<std::size_t>(found - names.begin());
      if (found == names.end()) {
        names.push_back(name);
        ratios.emplace_back();
      }
      ratios[index].push_back(point.ratio());
    }
  }
  std::vector<ErrorGroup> groups;
  for (std::size_t i = 0; i < names.size(); ++i) groups.push_back({names[i], summarise(ratios[i])});
  return groups;
}

std::size_t CollectiveValidation::count(PointStatus status) const {
  std::size_t points = 0;
  for (const MeasuredRun& run : runs)
    points +=
        static_cast<std::size_t>(std::ranges::count(run.points, status, &ComparedPoint::status));
  return points;
}

std::size_t CollectiveValidation::not_predictable() const {
  return count(PointStatus::not_predictable) + gaps.size();
}

std::vector<UnpredictableCount> CollectiveValidation::reasons() const {
  std::vector<UnpredictableCount> counts;
  const auto add = [&](const std::string& reason) {
    const auto found = std::ranges::find(counts, reason, &UnpredictableCount::reason);
    if (found == counts.end())
      counts.push_back({reason, 1});
    else
      ++found->points;
  };
  for (const MeasuredRun& run : runs)
    for (const ComparedPoint& point : run.points)
      if (point.status == PointStatus::not_predictable) add(point.reason);
  for (const SeriesGap& gap : gaps) add(gap.reason);
  std::ranges::stable_sort(counts, std::greater{}, &UnpredictableCount::points);
  return counts;
}

std::size_t CollectiveValidation::free_constants() const {
  return static_cast<std::size_t>(std::ranges::count_if(constants, &ConstantInUse::free));
}

CollectiveValidation validate_collectives(std::span<const CsvTable> tables,
                                          const CollectiveProgress& progress) {
  CollectiveValidation validation;
  validation.runs = plan_runs(tables, validation);
  std::size_t done = 0;
  for (MeasuredRun& run : validation.runs) {
    predict_run(run, validation.constants);
    if (progress) progress(++done, validation.runs.size());
  }
  for (MeasuredRun& run : validation.runs) compare_run(run);
  return validation;
}

}  // namespace dsim
