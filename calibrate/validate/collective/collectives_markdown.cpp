#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "calibrate/validate/collective/collectives_report.h"
#include "calibrate/validate/collective/switches.h"
#include "calibrate/validate/markdown.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

using Out = std::back_insert_iterator<std::string>;

using markdown::cell;
using markdown::percent;

void write_groups(const std::vector<ErrorGroup>& groups, std::string_view title, Out out) {
  if (groups.empty()) return;
  fmt::format_to(out,
                 "\n## {}\n\n| | points | median % | p90 % | worst % | mean % | bias % |\n"
                 "|---|--:|--:|--:|--:|--:|--:|\n",
                 title);
  for (const ErrorGroup& group : groups)
    fmt::format_to(out, "| {} | {} | {} | {} | {} | {} | {} |\n", cell(group.name),
                   group.errors.points, percent(group.errors.median), percent(group.errors.p90),
                   percent(group.errors.worst), percent(group.errors.mean),
                   percent(group.errors.bias, true));
}

void write_constants(const CollectiveValidation& validation, Out out) {
  fmt::format_to(
      out,
      "\n## Constants\n\n{} in use, {} of them free (fitted or assumed). None is indexed "
      "by a table or by message size.\n\n| name | value | sigma % | level | runs | "
      "source | range |\n|---|--:|--:|---|--:|---|---|\n",
      validation.constants.size(), validation.free_constants());
  for (const ConstantInUse& use : validation.constants)
    fmt::format_to(out, "| {} | {:.4g} | {:.0f} | {} | {} | {} | {} |\n", cell(use.name),
                   use.constant.value, use.constant.sigma * 100, name_of(use.constant.level),
                   use.runs, cell(use.constant.source), cell(use.constant.range));
}

void write_runs(const CollectiveValidation& validation, Out out) {
  fmt::format_to(
      out,
      "\n## Runs\n\n| run | machine | ranks | healthy | assumed, or why not predictable | "
      "source |\n|---|---|--:|---|---|---|\n");
  for (const MeasuredRun& run : validation.runs) {
    std::string remarks = run.plan.reason;
    for (const std::string& part : run.plan.assumptions)
      remarks += (remarks.empty() ? "" : "; ") + part;
    fmt::format_to(out, "| {} | {} | {} | {} | {} | {} |\n", cell(run.plan.series->name),
                   cell(run.plan.machine), run.plan.ranks, name_of(run.health), cell(remarks),
                   cell(run.plan.series->stated.source));
  }
}

void write_switches(const CollectiveValidation& validation, Out out) {
  const std::vector<SwitchSize> switches = switch_sizes(validation);
  if (switches.empty()) return;
  fmt::format_to(
      out,
      "\n## Switch sizes\n\nKinks of healthy tables beside the nearest predicted change "
      "of algorithm or protocol: {} of {} within one power of two.\n\n| run | measured at "
      "| | predicted at | change |\n|---|--:|---|--:|---|\n",
      std::ranges::count_if(switches, &SwitchSize::met), switches.size());
  for (const SwitchSize& one : switches)
    fmt::format_to(
        out, "| {} | {} | {} | {} | {} |\n", cell(one.run),
        format_binary_bytes(static_cast<double>(one.bytes)), one.falls ? "falls" : "jumps",
        one.predicted > 0 ? format_binary_bytes(static_cast<double>(one.predicted)) : "–",
        cell(one.change));
}

void write_left_out(const CollectiveValidation& validation, Out out) {
  if (!validation.left_out) return;
  fmt::format_to(
      out,
      "\n## Leave one machine out\n\nConstants are fitted on all machines but one, which "
      "is then predicted. Machines weigh equally; the prior is each constant's own "
      "uncertainty.\n\n| | points | left out median % | p90 % | published median % | "
      "p90 % |\n|---|--:|--:|--:|--:|--:|\n");
  for (const LeftOutGroup& group : left_out_groups(validation))
    fmt::format_to(out, "| {} | {} | {} | {} | {} | {} |\n", cell(group.name),
                   group.left_out.points, percent(group.left_out.median),
                   percent(group.left_out.p90), percent(group.published.median),
                   percent(group.published.p90));
}

}  // namespace

std::string collectives_markdown(const CollectiveValidation& validation) {
  std::string text = "# Collectives: predicted and measured times\n\n";
  const Out out(text);
  text += collectives_line(validation) + "\n";
  text +=
      "\nErrors are |predicted / measured - 1| of the time, built-in constants, healthy tables "
      "unless said otherwise.\n";
  for (const Division& division : divisions())
    write_groups(validation.by(Health::healthy, division.key), division.title, out);
  write_left_out(validation, out);
  write_switches(validation, out);
  write_groups(validation.by(Health::healthy, run_key), "Tables", out);
  write_groups(validation.by(Health::unknown, run_key), "Tables whose health is unknown", out);
  write_groups(validation.by(Health::faulty, run_key),
               "Faulty machines, predicted with the faults their headers state", out);
  write_constants(validation, out);
  write_runs(validation, out);
  fmt::format_to(out, "\n## Not predictable\n\n| rows | why |\n|--:|---|\n");
  for (const UnpredictableCount& reason : validation.reasons())
    fmt::format_to(out, "| {} | {} |\n", reason.points, cell(reason.reason));
  fmt::format_to(out, "\n{} first rows above 1.5x the second were dropped: connection setup.\n",
                 validation.count(PointStatus::setup));
  fmt::format_to(out, "\n{}\n", collectives_line(validation));
  return text;
}

}  // namespace dsim
