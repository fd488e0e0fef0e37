#include "calibrate/validate/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "calibrate/validate/layouts.h"
#include "calibrate/validate/measured.h"
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

Plan plan_rows(std::span<const CsvTable> tables, std::vector<std::string>& notices) {
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
      if (is_empty(table, row)) continue;
      plan.rows.push_back(plan_training_row(RowInputs(table, row), source, shelf));
      plan.origins.push_back({&table, row});
    }
  }
  return plan;
}

void refuse(TrainingRow& row, Obstacle obstacle, std::string reason) {
  row.status = RowStatus::not_predictable;
  row.obstacle = obstacle;
  row.reason = std::move(reason);
  row.predicted_s = std::numeric_limits<double>::quiet_NaN();
}

/// First line of a message, without its "error: ".
std::string short_reason(std::string_view what) {
  what = what.substr(0, what.find('\n'));
  if (what.starts_with("error: ")) what.remove_prefix(7);
  return std::string(what);
}

void predict_rows(Plan& plan, const StepTimePredictor& predict,
                  const ValidationProgress& progress) {
  std::size_t done = 0;
  for (PlannedRow& planned : plan.rows) {
    if (planned.experiment) {
      try {
        planned.row.predicted_s = predict(*planned.experiment);
        if (!std::isfinite(planned.row.predicted_s) || planned.row.predicted_s <= 0)
          refuse(planned.row, Obstacle::simulation, "no step time");
      } catch (const InputError& error) {
        refuse(planned.row, Obstacle::simulation, short_reason(error.what()));
      }
    }
    if (progress) progress(++done, plan.rows.size());
  }
}

void read_measured(Plan& plan) {
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    TrainingRow& row = plan.rows[i].row;
    if (row.status == RowStatus::not_predictable) continue;
    const auto seconds =
        measured_step_time(*plan.origins[i].table, plan.origins[i].row, row.samples,
                           static_cast<double>(row.sequence), static_cast<double>(row.gpus));
    if (seconds)
      row.measured_s = *seconds;
    else
      refuse(row, Obstacle::measurement, "neither step time nor throughput");
  }
}

std::vector<ScalingRatio> scaling_ratios(const std::vector<TrainingRow>& rows) {
  std::map<std::string, std::vector<std::size_t>> series;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TrainingRow& row = rows[i];
    if (row.comparable())
      series[fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", row.source, row.model, row.gpu,
                         row.precision, row.framework, row.strategy, row.micro_batch, row.sequence,
                         row.bucket_cap_mb)]
          .push_back(i);
  }
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

}  // namespace

std::string_view name_of(RowStatus status) {
  switch (status) {
    case RowStatus::predicted:
      return "predicted";
    case RowStatus::ratio_only:
      return "ratio_only";
    case RowStatus::not_predictable:
      return "not_predictable";
  }
  return "";
}

ErrorSummary TrainingValidation::overall() const {
  std::vector<double> values;
  for (const TrainingRow& row : rows)
    if (row.status == RowStatus::predicted) values.push_back(row.ratio());
  return summarise(values);
}

std::size_t TrainingValidation::not_predictable() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      rows, [](const TrainingRow& row) { return row.status != RowStatus::predicted; }));
}

std::vector<GroupSummary> TrainingValidation::by(
    const std::function<std::string(const TrainingRow&)>& key) const {
  std::vector<GroupSummary> groups;
  std::vector<std::vector<double>> values;
  for (const TrainingRow& row : rows) {
    const std::string name = key(row);
    const auto found = std::ranges::find(groups, name, &GroupSummary::name);
    const auto index = static_cast<std::size_t>(found - groups.begin());
    if (found == groups.end()) {
      groups.push_back({name, {}, 0});
      values.emplace_back();
    }
    ++groups[index].rows;
    if (row.status == RowStatus::predicted) values[index].push_back(row.ratio());
  }
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].errors = summarise(values[i]);
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

TrainingValidation validate_training(std::span<const CsvTable> tables,
                                     const StepTimePredictor& predict,
                                     const ValidationProgress& progress) {
  TrainingValidation result;
  Plan plan = plan_rows(tables, result.notices);
  predict_rows(plan, predict, progress);
  read_measured(plan);
  for (PlannedRow& planned : plan.rows) result.rows.push_back(std::move(planned.row));
  result.ratios = scaling_ratios(result.rows);
  return result;
}

}  // namespace dsim
