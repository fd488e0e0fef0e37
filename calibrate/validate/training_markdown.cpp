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

void write_groups(const std::vector<GroupSummary>& groups, std::string_view title, bool left_out,
                  Out out) {
  fmt::format_to(out,
                 "\n## {}\n\n| | rows | predicted | median % | p90 % | worst % | mean % | bias % |{}\n"
                 "|---|--:|--:|--:|--:|--:|--:|--:|{}\n",
                 title, left_out ? " left out: median % |" : "", left_out ? "--:|" : "");
  for (const GroupSummary& group : groups)
    fmt::format_to(out, "| {} | {} | {} | {} | {} | {} | {} | {} |{}\n", cell(group.name),
                   group.rows, group.errors.points, percent(group.errors.median),
                   percent(group.errors.p90), percent(group.errors.worst),
                   percent(group.errors.mean), percent(group.errors.bias, true),
                   left_out ? fmt::format(" {} |", percent(group.left_out.median)) : "");
}

void write_levels(const TrainingValidation& validation, Out out) {
  if (validation.levels.empty()) return;
  fmt::format_to(out,
                 "\n## Left out\n\nEach source predicted by the kappa and kappa_bytes that all other "
                 "sources of its GPU ask for: level only, the median of their medians.\n\n"
                 "| GPU | source | factor on both | from sources |\n|---|---|--:|--:|\n");
  for (const LeftOutLevel& level : validation.levels)
    fmt::format_to(out, "| {} | {} | {:.3f} | {} |\n", cell(level.gpu), cell(level.source),
                   level.factor, level.sources);
}

void write_constants(const TrainingValidation& validation, Out out) {
  fmt::format_to(out,
                 "\n## Constants\n\nDerates and fitted constants of the GPUs above, and the rows "
                 "they were set on.\n\n| GPU | constant | value | level | source |\n"
                 "|---|---|--:|---|---|\n");
  for (const SetConstant& set : set_constants(validation))
    fmt::format_to(out, "| {} | {} | {:.4g} | {} | {} |\n", cell(set.gpu), cell(set.name),
                   set.constant.value, name_of(set.constant.level), cell(set.constant.source));
}

void write_rows(const TrainingValidation& validation, Out out) {
  fmt::format_to(out,
                 "\n## Rows\n\n| source | id | model | GPU | GPUs | precision | predicted | "
                 "measured | error % "
                 "| remarks |\n|---|---|---|---|--:|---|--:|--:|--:|---|\n");
  for (const TrainingRow& row : validation.rows) {
    if (!row.comparable()) continue;
    std::string remarks;
    if (row.status == RowStatus::ratio_only) remarks = "ratios only: " + row.reason;
    if (row.status == RowStatus::excluded) remarks = "excluded: " + row.reason;
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
  const ErrorSummary headline = validation.headline();
  if (headline.points > 0)
    fmt::format_to(out, "Grade A and A-: median {} %, p90 {} % over {} points.\n\n",
                   percent(headline.median), percent(headline.p90), headline.points);
  if (const std::string memory = memory_line(validation); !memory.empty()) text += memory + "\n\n";
  text += closing_line(validation.overall(), validation.not_predictable()) + "\n";
  for (const Grouping& grouping : groupings())
    write_groups(validation.by(grouping.key), grouping.title, !validation.levels.empty(), out);
  write_levels(validation, out);
  write_constants(validation, out);
  write_ratios(validation, out);
  fmt::format_to(out, "\n## Not counted\n\n| rows | what | which |\n|--:|---|---|\n");
  for (const ReasonCount& reason : validation.reasons())
    fmt::format_to(out, "| {} | {} | {} |\n", reason.rows, name_of(reason.obstacle),
                   cell(reason.reason));
  write_rows(validation, out);
  return text;
}

}  // namespace dsim
