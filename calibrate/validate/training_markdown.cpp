#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "calibrate/validate/markdown.h"
#include "calibrate/validate/training_report.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

using Out = std::back_insert_iterator<std::string>;

using markdown::cell;
using markdown::percent;

void write_groups(const std::vector<GroupSummary>& groups, std::string_view title, Out out) {
  fmt::format_to(
      out,
      "\n## {}\n\n| | rows | predicted | median % | p90 % | worst % | mean % | bias % |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|\n",
      title);
  for (const GroupSummary& group : groups)
    fmt::format_to(out, "| {} | {} | {} | {} | {} | {} | {} | {} |\n", cell(group.name), group.rows,
                   group.errors.points, percent(group.errors.median), percent(group.errors.p90),
                   percent(group.errors.worst), percent(group.errors.mean),
                   percent(group.errors.bias, true));
}

void write_rows(const TrainingValidation& validation, Out out) {
  fmt::format_to(out,
                 "\n## Rows\n\n| source | id | model | GPU | GPUs | precision | predicted | "
                 "measured | error % "
                 "| remarks |\n|---|---|---|---|--:|---|--:|--:|--:|---|\n");
  for (const TrainingRow& row : validation.rows) {
    if (!row.comparable()) continue;
    std::string remarks = row.status == RowStatus::ratio_only ? "ratios only: " + row.reason : "";
    if (std::abs(row.error()) > notable_error)
      for (const std::string& part : {row.explanation, row.assumptions})
        if (!part.empty()) remarks += (remarks.empty() ? "" : "; ") + part;
    fmt::format_to(out, "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", cell(row.source),
                   cell(row.id), cell(row.model), cell(row.gpu), row.gpus, cell(row.precision),
                   format_time(row.predicted_s), format_time(row.measured_s),
                   percent(row.error(), true), cell(remarks));
  }
}

void write_ratios(const TrainingValidation& validation, Out out) {
  fmt::format_to(out,
                 "\n## Scaling\n\nThroughput a GPU against the fewest GPUs of the same series, {} "
                 "ratios, median "
                 "difference {} points.\n\n| id | GPUs | predicted % | measured % | points |\n"
                 "|---|--:|--:|--:|--:|\n",
                 validation.ratios.size(), percent(validation.median_ratio_difference()));
  for (const ScalingRatio& ratio : validation.ratios)
    fmt::format_to(out, "| {} | {} to {} | {} | {} | {} |\n", cell(validation.rows[ratio.row].id),
                   validation.rows[ratio.reference].gpus, validation.rows[ratio.row].gpus,
                   percent(ratio.predicted), percent(ratio.measured),
                   percent(ratio.difference(), true));
}

}  // namespace

std::string training_markdown(const TrainingValidation& validation) {
  std::string text = "# Training: predicted and measured step times\n\n";
  const Out out(text);
  text += closing_line(validation.overall(), validation.not_predictable()) + "\n";
  write_groups(validation.by(source_key), "By source", out);
  write_groups(validation.by(hardware_key), "By source, GPU and precision", out);
  write_groups(validation.by(size_key), "By size", out);
  write_rows(validation, out);
  write_ratios(validation, out);
  fmt::format_to(out, "\n## Not predictable\n\n| rows | what | which |\n|--:|---|---|\n");
  for (const ReasonCount& reason : validation.reasons())
    fmt::format_to(out, "| {} | {} | {} |\n", reason.rows, name_of(reason.obstacle),
                   cell(reason.reason));
  return text;
}

}  // namespace dsim
