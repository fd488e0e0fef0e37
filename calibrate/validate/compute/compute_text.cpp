#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "calibrate/validate/compute/compute_report.h"

namespace dsim {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string percent(double fraction, bool with_sign = false) {
  if (std::isnan(fraction)) return "-";
  return with_sign ? fmt::format("{:+.1f}", fraction * 100) : fmt::format("{:.1f}", fraction * 100);
}

void write_groups(std::string_view title, const std::vector<GemmGroup>& groups, Out out) {
  if (groups.empty()) return;
  fmt::format_to(out, "{}\n  {:<48} {:>6} {:>7} {:>7} {:>8} {:>7}\n", title, "", "GEMMs", "median",
                 "p90", "worst", "bias");
  for (const GemmGroup& group : groups)
    fmt::format_to(out, "  {:<48} {:>6} {:>7} {:>7} {:>8} {:>7}\n", group.name, group.errors.points,
                   percent(group.errors.median), percent(group.errors.p90),
                   percent(group.errors.worst), percent(group.errors.bias, true));
  fmt::format_to(out, "\n");
}

}  // namespace

std::string compute_text(const ComputeValidation& validation) {
  std::string text = "GEMM times, errors in %, kappa of training steps left out\n\n";
  const Out out(text);
  for (const GemmDivision& division : gemm_divisions())
    write_groups(division.title,
                 validation.by(GemmStatus::held_out, division.key, division.least_flops), out);
  write_groups("Shapes the constants were fitted to, by GPU",
               validation.by(GemmStatus::fitted, gemm_gpu_key), out);
  const std::vector<GemmReason> reasons = validation.reasons();
  if (!reasons.empty()) fmt::format_to(out, "Not predictable\n");
  for (const GemmReason& reason : reasons)
    fmt::format_to(out, "  {:>5}  {}\n", reason.rows, reason.reason);
  if (!reasons.empty()) fmt::format_to(out, "\n");
  fmt::format_to(out, "{}\n", compute_line(validation));
  return text;
}

}  // namespace dsim
