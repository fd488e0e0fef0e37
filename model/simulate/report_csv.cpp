#include "model/simulate/report_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace dsim {
namespace {

using Cells = std::vector<std::pair<std::string_view, std::string>>;

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

Cells cells_of(const Report& r) {
  return {{"model", quoted(r.model_name)},
          {"topology", quoted(r.topology)},
          {"gpu", quoted(r.gpu_title)},
          {"gpus", fmt::format("{}", r.gpus)},
          {"nodes", fmt::format("{}", r.nodes)},
          {"framework", quoted(r.framework)},
          {"precision", quoted(r.precision)},
          {"optimizer", quoted(r.optimizer)},
          {"micro_batch", fmt::format("{}", r.micro_batch)},
          {"accumulate", fmt::format("{}", r.accumulate)},
          {"global_batch", fmt::format("{}", r.global_batch())},
          {"sequence", fmt::format("{}", r.sequence)},
          {"fidelity", quoted(r.fidelity)},
          {"collective", quoted(r.collective)},
          {"step_time_s", number(r.step_time_s)},
          {"step_time_low_s", number(r.step_time_low_s)},
          {"step_time_high_s", number(r.step_time_high_s)},
          {"compute_s", number(r.parts.forward_s + r.parts.backward_s)},
          {"forward_s", number(r.parts.forward_s)},
          {"backward_s", number(r.parts.backward_s)},
          {"optimizer_s", number(r.parts.optimizer_s)},
          {"exposed_communication_s", number(r.parts.exposed_communication_s)},
          {"bubble_s", number(r.parts.bubble_s)},
          {"launch_s", number(r.parts.launch_s)},
          {"input_s", number(r.parts.input_s)},
          {"wait_s", number(r.parts.wait_s)},
          {"communication_s", number(r.communication_s)},
          {"throughput", number(r.throughput)},
          {"throughput_unit", quoted(r.sample_unit + "/s")},
          {"tokens_per_s", r.tokens_per_s > 0 ? number(r.tokens_per_s) : ""},
          {"mfu", number(r.mfu)},
          {"scaling_efficiency", number(r.scaling_efficiency)},
          {"scaling_efficiency_node", number(r.scaling_efficiency_node)},
          {"peak_memory_bytes", number(r.memory.total())},
          {"memory_capacity_bytes", number(r.memory.capacity)},
          {"fits", r.memory.fits() ? "true" : "false"},
          {"rank_classes", fmt::format("{}", r.rank_classes)},
          {"bottleneck", quoted(r.bottleneck.resource)},
          {"bottleneck_load", number(r.bottleneck.load)}};
}

}  // namespace

std::string reports_csv(std::span<const Report> reports) {
  std::string text;
  const auto row = [&](const Cells& cells, bool header) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += ',';
      text += header ? std::string(cells[i].first) : cells[i].second;
    }
    text += '\n';
  };
  row(cells_of(Report{}), true);
  for (const Report& report : reports) row(cells_of(report), false);
  return text;
}

}  // namespace dsim
