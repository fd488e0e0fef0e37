#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "calibrate/validate/training_report.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr std::string_view head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>dsim: training validation</title><style>
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0 1.5rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;border-bottom:1px solid #8884;text-align:right}
th:first-child,td:first-child,.text{text-align:left}
.off{color:#d55e00}svg{max-width:100%;height:auto}details{margin:1rem 0}
</style></head><body>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string percent(double fraction, bool with_sign = false) {
  if (std::isnan(fraction)) return "–";
  return with_sign ? fmt::format("{:+.1f}", fraction * 100) : fmt::format("{:.1f}", fraction * 100);
}

void write_groups(const TrainingValidation& validation, const Grouping& grouping, Out out) {
  const bool left_out = !validation.levels.empty();
  fmt::format_to(out,
                 "<h2>{}</h2>\n<table><tr><th></th><th>rows</th><th>predicted</th><th>median "
                 "%</th><th>p90 %</th><th>worst %</th><th>mean %</th><th>bias %</th>{}</tr>\n",
                 grouping.title, left_out ? "<th>left out: median %</th>" : "");
  for (const GroupSummary& group : validation.by(grouping.key))
    fmt::format_to(out,
                   "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}"
                   "</td><td>{}</td>{}</tr>\n",
                   escaped(group.name), group.rows, group.errors.points,
                   percent(group.errors.median), percent(group.errors.p90),
                   percent(group.errors.worst), percent(group.errors.mean),
                   percent(group.errors.bias, true),
                   left_out ? fmt::format("<td>{}</td>", percent(group.left_out.median)) : "");
  fmt::format_to(out, "</table>\n");
}

void write_rows(const TrainingValidation& validation, Out out) {
  fmt::format_to(out,
                 "<details><summary>Every row</summary><table><tr><th>source</th><th "
                 "class=text>id</th><th class=text>model</th><th>GPUs</th><th>predicted</th>"
                 "<th>measured</th><th>error %</th><th class=text>remarks</th></tr>\n");
  for (const TrainingRow& row : validation.rows) {
    std::string remarks = row.reason;
    if (row.comparable() && std::abs(row.error()) > notable_error)
      for (const std::string& part : {row.explanation, row.assumptions})
        if (!part.empty()) remarks += (remarks.empty() ? "" : "; ") + part;
    fmt::format_to(out,
                   "<tr><td>{}</td><td class=text>{}</td><td class=text>{}</td><td>{}</td><td>{}"
                   "</td><td>{}</td><td{}>{}</td><td class=text>{}</td></tr>\n",
                   escaped(row.source), escaped(row.id), escaped(row.model), row.gpus,
                   row.predicted_s > 0 ? format_time(row.predicted_s) : "–",
                   row.measured_s > 0 ? format_time(row.measured_s) : "–",
                   row.comparable() && std::abs(row.error()) > notable_error ? " class=off" : "",
                   row.comparable() ? percent(row.error(), true) : "–", escaped(remarks));
  }
  fmt::format_to(out, "</table></details>\n");
}

}  // namespace

std::string training_html(const TrainingValidation& validation) {
  std::string text(head);
  const Out out(text);
  fmt::format_to(out, "<h1>Training: predicted and measured step times</h1>\n");
  const ErrorSummary headline = validation.headline();
  if (headline.points > 0)
    fmt::format_to(out, "<p>Grade A and A-: median {} %, p90 {} % over {} points.</p>\n",
                   percent(headline.median), percent(headline.p90), headline.points);
  fmt::format_to(out, "<p>{}</p>\n<p>{}</p>\n", escaped(memory_line(validation)),
                 closing_line(validation.overall(), validation.not_predictable()));
  if (validation.overall().points > 0) text += figure_svg(training_figure(validation));
  for (const Grouping& grouping : groupings()) write_groups(validation, grouping, out);
  fmt::format_to(out,
                 "<h2>Scaling</h2><p>{} ratios of throughput a GPU against the fewest GPUs of a "
                 "series: median difference {} points.</p>\n",
                 validation.ratios.size(), percent(validation.median_ratio_difference()));
  fmt::format_to(out, "<h2>Not counted</h2><table><tr><th>rows</th><th class=text>what</th><th "
                      "class=text>which</th></tr>\n");
  for (const ReasonCount& reason : validation.reasons())
    fmt::format_to(out, "<tr><td>{}</td><td class=text>{}</td><td class=text>{}</td></tr>\n",
                   reason.rows, name_of(reason.obstacle), escaped(reason.reason));
  fmt::format_to(out, "</table>\n");
  write_rows(validation, out);
  return text + "</body></html>\n";
}

}  // namespace dsim
