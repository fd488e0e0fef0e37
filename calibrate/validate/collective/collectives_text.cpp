#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "calibrate/validate/collective/collectives_report.h"
#include "calibrate/validate/collective/switches.h"

namespace dsim {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string percent(double fraction, bool with_sign = false) {
  if (std::isnan(fraction)) return "-";
  return with_sign ? fmt::format("{:+.1f}", fraction * 100) : fmt::format("{:.1f}", fraction * 100);
}

std::string clipped(std::string_view text, std::size_t width) {
  return text.size() <= width ? std::string(text) : std::string(text.substr(0, width - 3)) + "...";
}

void write_group(const ErrorGroup& group, Out out) {
  fmt::format_to(out, "  {:<56} {:>6} {:>7} {:>7} {:>8} {:>7}\n", clipped(group.name, 56),
                 group.errors.points, percent(group.errors.median), percent(group.errors.p90),
                 percent(group.errors.worst), percent(group.errors.bias, true));
}

void write_groups(const std::vector<ErrorGroup>& groups, std::string_view title, Out out) {
  if (groups.empty()) return;
  fmt::format_to(out, "{}\n  {:<56} {:>6} {:>7} {:>7} {:>8} {:>7}\n", title, "", "points", "median",
                 "p90", "worst", "bias");
  for (const ErrorGroup& group : groups) write_group(group, out);
  fmt::format_to(out, "\n");
}

void write_constants(const CollectiveValidation& validation, Out out) {
  if (validation.constants.empty()) return;
  const std::size_t all = validation.constants.size();
  fmt::format_to(out,
                 "{} constants in use, {} of them free (fitted or assumed, none by table or size); "
                 "their sources are in --markdown and --json\n\n",
                 all, validation.free_constants());
}

void write_left_out(const CollectiveValidation& validation, Out out) {
  if (!validation.left_out) return;
  fmt::format_to(out,
                 "Each machine by constants fitted on all others (published constants beside it)\n"
                 "  {:<40} {:>6} {:>15} {:>15}\n",
                 "", "points", "left out", "published");
  for (const LeftOutGroup& group : left_out_groups(validation))
    fmt::format_to(out, "  {:<40} {:>6} {:>15} {:>15}\n", clipped(group.name, 40),
                   group.left_out.points,
                   percent(group.left_out.median) + " / " + percent(group.left_out.p90),
                   percent(group.published.median) + " / " + percent(group.published.p90));
  fmt::format_to(out, "\n");
}

void write_switches(const CollectiveValidation& validation, Out out) {
  const std::vector<SwitchSize> switches = switch_sizes(validation);
  if (switches.empty()) return;
  fmt::format_to(out,
                 "{} kinks in healthy tables, {} within a power of two of a predicted change of "
                 "algorithm or protocol\n\n",
                 switches.size(), std::ranges::count_if(switches, &SwitchSize::met));
}

void write_reasons(const CollectiveValidation& validation, Out out) {
  constexpr std::size_t shown = 12;
  const auto reasons = validation.reasons();
  if (validation.count(PointStatus::setup) > 0)
    fmt::format_to(out, "{} first rows above 1.5x the second dropped: connection setup\n",
                   validation.count(PointStatus::setup));
  if (!reasons.empty()) fmt::format_to(out, "Not predictable\n");
  for (std::size_t i = 0; i < std::min(shown, reasons.size()); ++i)
    fmt::format_to(out, "  {:>5}  {}\n", reasons[i].points, clipped(reasons[i].reason, 90));
  if (reasons.size() > shown)
    fmt::format_to(out, "         {} more reasons\n", reasons.size() - shown);
}

}  // namespace

std::string collectives_text(const CollectiveValidation& validation) {
  std::string text;
  const Out out(text);
  write_groups(validation.by(Health::healthy, run_key), "Tables, errors in %", out);
  for (const Division& division : divisions())
    write_groups(validation.by(Health::healthy, division.key), division.title, out);
  write_groups(validation.by(Health::unknown, run_key), "Tables whose health is unknown", out);
  write_groups(validation.by(Health::faulty, run_key),
               "Faulty machines, predicted with the faults their headers state", out);
  write_left_out(validation, out);
  write_switches(validation, out);
  write_constants(validation, out);
  write_reasons(validation, out);
  fmt::format_to(out, "\n{}\n", collectives_line(validation));
  return text;
}

}  // namespace dsim
