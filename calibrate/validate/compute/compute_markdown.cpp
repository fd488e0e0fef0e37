#include <fmt/format.h>

#include <iterator>

#include "calibrate/validate/compute/compute_report.h"
#include "calibrate/validate/markdown.h"

namespace dsim {
namespace {

using Out = std::back_insert_iterator<std::string>;

using markdown::cell;
using markdown::percent;

void write_groups(std::string_view title, const std::vector<GemmGroup>& groups, Out out) {
  if (groups.empty()) return;
  fmt::format_to(out,
                 "\n## {}\n\n| | GEMMs | median % | p90 % | worst % | mean % | bias % |\n"
                 "|---|--:|--:|--:|--:|--:|--:|\n",
                 title);
  for (const GemmGroup& group : groups)
    fmt::format_to(out, "| {} | {} | {} | {} | {} | {} | {} |\n", cell(group.name),
                   group.errors.points, percent(group.errors.median), percent(group.errors.p90),
                   percent(group.errors.worst), percent(group.errors.mean),
                   percent(group.errors.bias, true));
}

}  // namespace

std::string compute_markdown(const ComputeValidation& validation) {
  std::string text = "# GEMMs: predicted and measured times\n\n";
  const Out out(text);
  fmt::format_to(out,
                 "{}\n\nErrors are |predicted / measured - 1|, built-in constants without kappa, "
                 "of shapes no constant was fitted to unless said otherwise.\n",
                 compute_line(validation));
  for (const GemmDivision& division : gemm_divisions())
    write_groups(division.title,
                 validation.by(GemmStatus::held_out, division.key, division.least_flops), out);
  for (const GemmDivision& division : gemm_divisions())
    write_groups(fmt::format("{}: the fitted half", division.title),
                 validation.by(GemmStatus::fitted, division.key, division.least_flops), out);
  fmt::format_to(out, "\n## Not predictable\n\n| rows | why |\n|--:|---|\n");
  for (const GemmReason& reason : validation.reasons())
    fmt::format_to(out, "| {} | {} |\n", reason.rows, cell(reason.reason));
  return text;
}

}  // namespace dsim
