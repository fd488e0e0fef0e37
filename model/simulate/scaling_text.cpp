#include "model/simulate/scaling_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/simulate/text_layout.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

std::string heading(const Scaling& scaling) {
  const Report& last = scaling.points.back();
  std::vector<std::string> items{last.model_title};
  if (last.sequence > 0) items.push_back(fmt::format("sequence {}", last.sequence));
  items.push_back(last.precision);
  if (scaling.mode == ScalingMode::weak) {
    items.push_back(fmt::format("micro-batch {}", last.micro_batch));
    if (last.accumulate > 1) items.push_back(fmt::format("accumulate {}", last.accumulate));
  } else {
    items.push_back("global batch " + format_count(static_cast<double>(
                                          last.micro_batch * last.accumulate * last.gpus)));
  }
  items.push_back(last.framework);
  items.push_back(std::string(name_of(scaling.mode)) + " scaling");
  std::string text;
  for (const std::string& line : wrap_items("", items, " · ", 80)) text += line + '\n';
  for (const std::string& line : wrap_text("", last.topology, 80)) text += line + '\n';
  return text;
}

}  // namespace

std::string scaling_text(const Scaling& scaling, const TextStyle& style) {
  const Report& first = scaling.points.front();
  const bool strong = scaling.mode == ScalingMode::strong;
  const bool to_one =
      std::any_of(scaling.points.begin(), scaling.points.end(),
                  [](const Report& report) { return report.scaling_efficiency.has_value(); });
  const bool to_first = first.gpus > 1 || !to_one;

  std::vector<std::string> header{"GPUs"};
  if (strong) header.push_back("batch/GPU");
  header.insert(header.end(), {"step", first.sample_unit + "/s"});
  if (to_one) header.push_back("vs 1 GPU");
  if (to_first) header.push_back(fmt::format("vs {} GPUs", first.gpus));
  header.insert(header.end(), {"exposed comm", "limited by"});
  std::vector<std::vector<std::string>> rows{header};
  bool all_fit = true;
  for (std::size_t i = 0; i < scaling.points.size(); ++i) {
    const Report& report = scaling.points[i];
    const double exposed = report.parts.exposed_communication_s;
    std::vector<std::string> row{format_count(static_cast<double>(report.gpus))};
    if (strong)
      row.push_back(report.accumulate > 1
                        ? fmt::format("{} x {}", report.micro_batch, report.accumulate)
                        : fmt::format("{}", report.micro_batch));
    row.insert(row.end(), {format_time(report.step_time_s), format_count(report.throughput)});
    if (to_one)
      row.push_back(report.scaling_efficiency ? format_percent(*report.scaling_efficiency) : "–");
    if (to_first) row.push_back(format_percent(scaling.efficiency_to_first(i)));
    row.push_back(exposed > 0 ? fmt::format("{} {:4.1f} %", format_time(exposed),
                                            100 * exposed / report.step_time_s)
                              : "–");
    row.push_back(report.bottleneck.resource + (report.memory.fits() ? "" : " *"));
    all_fit = all_fit && report.memory.fits();
    rows.push_back(std::move(row));
  }
  std::string text = heading(scaling) + '\n' + table(rows, {header.size() - 1});
  if (!all_fit)
    text += inked("* does not fit into the memory of one GPU", Ink::fault, style.colour) + '\n';
  return text;
}

}  // namespace dsim
