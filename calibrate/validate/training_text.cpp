#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "calibrate/validate/training_report.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string percent(double fraction) {
  return std::isnan(fraction) ? "-" : fmt::format("{:.1f} %", fraction * 100);
}

std::string signed_percent(double fraction) {
  return std::isnan(fraction) ? "-" : fmt::format("{:+.1f} %", fraction * 100);
}

std::string clipped(std::string_view text, std::size_t width) {
  return text.size() <= width ? std::string(text) : std::string(text.substr(0, width - 3)) + "...";
}

std::string figures(const ErrorSummary& errors) {
  return fmt::format("median {}, p90 {}, worst {}, bias {}", percent(errors.median),
                     percent(errors.p90), percent(errors.worst), signed_percent(errors.bias));
}

void write_rows(const TrainingValidation& validation, const std::string& source, Out out) {
  for (const TrainingRow& row : validation.rows)
    if (row.source == source && row.comparable())
      fmt::format_to(out, "  {:<28} {:>5} {:>13} {:>13} {:>10}{}\n", clipped(row.id, 28), row.gpus,
                     format_time(row.predicted_s), format_time(row.measured_s),
                     signed_percent(row.error()),
                     row.status == RowStatus::ratio_only ? "  (ratios only)"
                     : row.status == RowStatus::excluded ? "  (excluded)" : "");
}

void write_sources(const TrainingValidation& validation, Out out) {
  for (const GroupSummary& source : validation.by(source_key)) {
    const bool any = std::ranges::any_of(validation.rows, [&](const TrainingRow& row) {
      return row.source == source.name && row.comparable();
    });
    if (!any) continue;
    fmt::format_to(out, "{}\n  {:<28} {:>5} {:>13} {:>13} {:>10}\n", source.name, "id", "GPUs",
                   "predicted", "measured", "error");
    write_rows(validation, source.name, out);
    fmt::format_to(out, "  {} of {} rows: {}\n\n", source.errors.points, source.rows,
                   figures(source.errors));
  }
}

void write_groups(const TrainingValidation& validation, Out out) {
  if (validation.overall().points == 0) return;
  const bool left_out = !validation.levels.empty();
  for (const Grouping& grouping : groupings()) {
    fmt::format_to(out, "{}\n  {:<34} {:>11} {:>8} {:>8} {:>8} {:>9}{}\n", grouping.title, "",
                   "of rows", "median", "p90", "mean", "bias", left_out ? "   left out" : "");
    for (const GroupSummary& group : validation.by(grouping.key)) {
      if (group.errors.points == 0 && grouping.key != grade_key && grouping.key != source_key)
        continue;
      fmt::format_to(out, "  {:<34} {:>11} {:>8} {:>8} {:>8} {:>9}{}\n", clipped(group.name, 34),
                     fmt::format("{} of {}", group.errors.points, group.rows),
                     percent(group.errors.median), percent(group.errors.p90),
                     percent(group.errors.mean), signed_percent(group.errors.bias),
                     left_out ? fmt::format("   {:>8}", percent(group.left_out.median)) : "");
    }
    fmt::format_to(out, "\n");
  }
}

void write_levels(const TrainingValidation& validation, Out out) {
  if (validation.levels.empty()) return;
  fmt::format_to(out, "\nLeft out: a source predicted by kappa and kappa_bytes that all others of "
                      "its GPU ask for (times)\n");
  for (const LeftOutLevel& level : validation.levels)
    fmt::format_to(out, "  {:<14} {:<28} {:>6.3f}  from {} sources\n", clipped(level.gpu, 14),
                   clipped(level.source, 28), level.factor, level.sources);
}

void write_constants(const TrainingValidation& validation, Out out) {
  const auto constants = set_constants(validation);
  if (constants.empty()) return;
  fmt::format_to(out, "\nDerates and fitted constants of the GPUs above, and where they come from\n");
  for (const SetConstant& set : constants)
    fmt::format_to(out, "  {:<14} {:<20} {:>8.4g}  {}: {}\n", set.gpu, set.name,
                   set.constant.value, name_of(set.constant.level), set.constant.source);
}

void write_notable(const TrainingValidation& validation, Out out) {
  const auto notable = [](const TrainingRow& row) {
    return row.status == RowStatus::predicted && std::abs(row.error()) > notable_error;
  };
  if (std::ranges::none_of(validation.rows, notable)) return;
  fmt::format_to(out, "\nOff by more than {:.0f} %\n", notable_error * 100);
  std::size_t shown = 0, all = 0;
  constexpr std::size_t most = 40;  // the document has them all
  for (const TrainingRow& row : validation.rows)
    if (notable(row) && ++all && shown < most && ++shown)
      fmt::format_to(out, "  {:<28} {:>9}  {}\n", clipped(row.id, 28), signed_percent(row.error()),
                     row.explanation.empty() ? "not explained" : row.explanation);
  if (all > shown) fmt::format_to(out, "  ... {} more\n", all - shown);
}

void write_ratios(const TrainingValidation& validation, Out out) {
  if (validation.ratios.empty()) return;
  fmt::format_to(out, "\nScaling: throughput a GPU against the fewest GPUs of the series\n");
  fmt::format_to(out, "  {:<28} {:>11} {:>10} {:>10} {:>12}\n", "id", "GPUs", "predicted",
                 "measured", "points");
  std::size_t shown = 0;
  constexpr std::size_t most = 40;
  for (const ScalingRatio& ratio : validation.ratios) {
    if (++shown > most) break;
    const TrainingRow& row = validation.rows[ratio.row];
    fmt::format_to(out, "  {:<28} {:>11} {:>10} {:>10} {:>+12.1f}\n", clipped(row.id, 28),
                   fmt::format("{} to {}", validation.rows[ratio.reference].gpus, row.gpus),
                   percent(ratio.predicted), percent(ratio.measured), ratio.difference() * 100);
  }
  fmt::format_to(out, "  {} ratios: median difference {:.1f} points\n", validation.ratios.size(),
                 validation.median_ratio_difference() * 100);
}

void write_obstacles(const TrainingValidation& validation, Out out) {
  struct Heap {
    std::size_t rows = 0, kinds = 0;
    std::string only, examples;  ///< one reason in full, or the first few with their counts
  };
  std::map<Obstacle, Heap> heaps;
  constexpr std::size_t shown = 3;
  for (const ReasonCount& reason : validation.reasons()) {
    Heap& heap = heaps[reason.obstacle];
    heap.rows += reason.rows;
    if (heap.kinds++ < shown)
      heap.examples += fmt::format("{}{} ({})", heap.examples.empty() ? "" : ", ",
                                   clipped(reason.reason, 60), reason.rows);
    if (heap.kinds == 1) heap.only = reason.reason;
  }
  if (heaps.empty()) return;
  fmt::format_to(out, "\nNot predictable\n");
  for (const auto& [obstacle, heap] : heaps)
    fmt::format_to(out, "  {:>5}  {}: {}{}\n", heap.rows, name_of(obstacle),
                   heap.kinds == 1 ? heap.only : heap.examples,
                   heap.kinds > shown ? fmt::format(", {} more", heap.kinds - shown) : "");
}

}  // namespace

std::string training_text(const TrainingValidation& validation, bool rows) {
  std::string text;
  const Out out(text);
  if (rows) write_sources(validation, out);
  write_groups(validation, out);
  write_notable(validation, out);
  write_ratios(validation, out);
  write_levels(validation, out);
  write_constants(validation, out);
  write_obstacles(validation, out);
  if (const std::string memory = memory_line(validation); !memory.empty())
    fmt::format_to(out, "\n{}\n", memory);
  const ErrorSummary headline = validation.headline();
  if (headline.points > 0)
    fmt::format_to(out, "\ngrade A and A-: median {} p90 {} over {} points\n",
                   percent(headline.median), percent(headline.p90), headline.points);
  fmt::format_to(out, "\n{}\n", closing_line(validation.overall(), validation.not_predictable()));
  return text;
}

}  // namespace dsim
