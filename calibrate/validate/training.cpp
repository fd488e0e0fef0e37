#include "calibrate/validate/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "calibrate/validate/layouts.h"
#include "calibrate/validate/measured.h"
#include "calibrate/validate/predict_rows.h"
#include "calibrate/validate/training_plan.h"

namespace dsim {
namespace {

/// Where the rows of a plan come from.
struct Origin {
  const CsvTable* table;
  std::size_t row;
};

struct Plan {
  std::vector<PlannedRow> rows;
  std::vector<Origin> origins;
};

bool is_empty(const CsvTable& table, std::size_t row) {
  for (std::size_t column = 0; column < table.columns().size(); ++column)
    if (!table.cell(row, column).text.empty()) return false;
  return true;
}

bool is_wanted(const CsvTable& table, std::size_t row, const std::vector<std::string>& ids) {
  if (ids.empty()) return true;
  const std::string_view id = table.cell(row, "id").text;
  return std::ranges::any_of(
      ids, [&](const std::string& part) { return id.find(part) != std::string_view::npos; });
}

Plan plan_rows(std::span<const CsvTable> tables, const ValidationOptions& options,
               std::vector<std::string>& notices) {
  Plan plan;
  TopologyShelf shelf;
  for (const CsvTable& table : tables) {
    const TableLayout layout = layout_of(table);
    if (layout != TableLayout::training && layout != TableLayout::vtrain) {
      notices.push_back(fmt::format("{}: left out, no table of training runs but {}", table.name(),
                                    title_of(layout)));
      continue;
    }
    if (layout == TableLayout::training)
      for (std::string& sentence : unknown_training_columns(table))
        notices.push_back(std::move(sentence));
    const std::string source = std::filesystem::path(table.name()).stem().string();
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      if (is_empty(table, row) || !is_wanted(table, row, options.ids)) continue;
      plan.rows.push_back(plan_training_row(RowInputs(table, row), source, shelf));
      plan.origins.push_back({&table, row});
    }
  }
  return plan;
}

void read_measured(Plan& plan) {
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    TrainingRow& row = plan.rows[i].row;
    const auto [table, line] = plan.origins[i];
    row.stated_oom = ran_out_of_memory(*table, line);
    if (row.status == RowStatus::not_predictable) continue;
    const auto seconds =
        measured_step_time(*table, line, row.samples, static_cast<double>(row.sequence),
                           static_cast<double>(row.gpus));
    if (const auto bytes = measured_memory(*table, line, plan.rows[i].memory_unit))
      row.measured_bytes = *bytes;
    if (seconds) {
      row.measured_s = *seconds;
      continue;
    }
    row.status = RowStatus::not_predictable;
    row.obstacle = Obstacle::measurement;
    row.reason = row.stated_oom ? "ran out of memory: no step time"
                                : "neither step time nor throughput";
  }
}

/// What rows of one series share.
std::string series_key(const TrainingRow& row) {
  const Parallelism& p = row.parallel;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", row.source, row.model,
                     row.layers, row.hidden, row.gpu, row.precision, row.framework, row.strategy,
                     row.micro_batch, row.sequence, row.bucket_cap_mb, p.tensor, p.pipeline,
                     p.context, p.expert, p.chunks, static_cast<int>(row.recompute));
}

std::vector<ScalingRatio> scaling_ratios(const std::vector<TrainingRow>& rows) {
  std::map<std::string, std::vector<std::size_t>> series;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].comparable() && rows[i].status != RowStatus::excluded)
      series[series_key(rows[i])].push_back(i);
  std::vector<ScalingRatio> ratios;
  for (const auto& [key, members] : series) {
    const std::size_t reference =
        *std::ranges::min_element(members, {}, [&](std::size_t i) { return rows[i].gpus; });
    const auto rate = [&](std::size_t i, double seconds) {
      return rows[i].samples / (seconds * static_cast<double>(rows[i].gpus));
    };
    for (const std::size_t i : members)
      if (rows[i].gpus > rows[reference].gpus)
        ratios.push_back(
            {reference, i,
             rate(i, rows[i].predicted_s) / rate(reference, rows[reference].predicted_s),
             rate(i, rows[i].measured_s) / rate(reference, rows[reference].measured_s)});
  }
  std::ranges::sort(ratios, {}, &ScalingRatio::row);
  return ratios;
}

ErrorSummary summary_of(const std::vector<TrainingRow>& rows, bool headline_only) {
  std::vector<double> values;
  for (const TrainingRow& row : rows)
    if (row.status == RowStatus::predicted && (!headline_only || is_headline(row.grade)))
      values.push_back(row.ratio());
  return summarise(values);
}

}  // namespace

std::string_view name_of(RowStatus status) {
  switch (status) {
    case RowStatus::predicted:
      return "predicted";
    case RowStatus::ratio_only:
      return "ratio_only";
    case RowStatus::excluded:
      return "excluded";
    case RowStatus::not_predictable:
      return "not_predictable";
  }
  return "";
}

ErrorSummary TrainingValidation::overall() const { return summary_of(rows, false); }

ErrorSummary TrainingValidation::headline() const { return summary_of(rows, true); }

std::size_t TrainingValidation::not_predictable() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      rows, [](const TrainingRow& row) { return row.status != RowStatus::predicted; }));
}

std::vector<GroupSummary> TrainingValidation::by(
    const std::function<std::string(const TrainingRow&)>& key) const {
  std::vector<GroupSummary> groups;
  std::vector<std::vector<double>> values, left_out;
  for (const TrainingRow& row : rows) {
    const std::string name = key(row);
    const auto found = std::ranges::find(groups, name, &GroupSummary::name);
    const auto index = static_cast<std::size_t>(found - groups.begin());
    if (found == groups.end()) {
      groups.push_back({name, {}, 0, {}});
      values.emplace_back();
      left_out.emplace_back();
    }
    ++groups[index].rows;
    if (row.status != RowStatus::predicted) continue;
    values[index].push_back(row.ratio());
    if (row.left_out_s > 0) left_out[index].push_back(row.left_out_s / row.measured_s);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].errors = summarise(values[i]);
    groups[i].left_out = summarise(left_out[i]);
  }
  return groups;
}

std::vector<ReasonCount> TrainingValidation::reasons() const {
  std::vector<ReasonCount> counts;
  for (const TrainingRow& row : rows) {
    if (row.status == RowStatus::predicted) continue;
    const auto found = std::ranges::find_if(counts, [&](const ReasonCount& count) {
      return count.obstacle == row.obstacle && count.reason == row.reason;
    });
    if (found == counts.end())
      counts.push_back({row.obstacle, row.reason, 1});
    else
      ++found->rows;
  }
  std::ranges::stable_sort(counts, std::greater{}, &ReasonCount::rows);
  return counts;
}

double TrainingValidation::median_ratio_difference() const {
  std::vector<double> values;
  for (const ScalingRatio& ratio : ratios) values.push_back(std::abs(ratio.difference()));
  return quantile(std::move(values), 0.5);
}

ErrorSummary TrainingValidation::memory() const {
  std::vector<double> values;
  for (const TrainingRow& row : rows)
    if (row.comparable_memory()) values.push_back(row.predicted_bytes / row.measured_bytes);
  return summarise(values);
}

OomSummary TrainingValidation::out_of_memory() const {
  OomSummary summary;
  for (const TrainingRow& row : rows) {
    if (!(row.predicted_bytes > 0)) continue;
    if (row.stated_oom) {
      ++summary.stated;
      summary.foreseen += row.fits ? 0 : 1;
    } else if (row.comparable()) {
      ++summary.ran;
      summary.allowed += row.fits ? 1 : 0;
    }
  }
  return summary;
}

TrainingValidation validate_training(std::span<const CsvTable> tables, const StepPredictor& predict,
                                     const ValidationProgress& progress,
                                     const ValidationOptions& options) {
  TrainingValidation result;
  Plan plan = plan_rows(tables, options, result.notices);
  predict_rows(plan.rows, predict, progress, options.threads);
  read_measured(plan);
  for (PlannedRow& planned : plan.rows) result.rows.push_back(std::move(planned.row));
  result.ratios = scaling_ratios(result.rows);
  return result;
}

}  // namespace dsim
