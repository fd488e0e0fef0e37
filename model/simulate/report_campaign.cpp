#include "model/simulate/report_campaign.h"

#include <fmt/format.h>

#include "sim/base/quantity.h"

namespace dsim {

namespace {

std::string duration(double seconds) {
  if (seconds < 600) return format_time(seconds);
  if (seconds < 2 * 3600) return fmt::format("{:.1f} min", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} d", seconds / 86400);
}

}  // namespace

std::vector<std::string> campaign_lines(const CampaignReport& r) {
  std::vector<std::string> lines;
  if (r.seconds) {
    std::string line = fmt::format("{} for {} steps · {} GPU-hours", duration(*r.seconds),
                                   format_count(*r.steps), format_count(*r.gpu_hours));
    if (r.cost) line += fmt::format(" · costs {}", format_count(*r.cost));
    if (r.energy_kwh) line += fmt::format(" · {} kWh", format_count(*r.energy_kwh));
    lines.push_back(line);
  }
  if (r.mtbf_seconds > 0)
    lines.push_back(fmt::format("goodput {:.1f} %: fails every {}, a checkpoint of {} every {}{}",
                                100 * r.goodput, duration(r.mtbf_seconds),
                                duration(r.checkpoint_seconds),
                                duration(r.checkpoint_every_seconds),
                                r.checkpoint_interval_chosen ? " (best)" : ""));
  else if (r.checkpoint_every_seconds > 0)
    lines.push_back(fmt::format("goodput {:.1f} %: a checkpoint of {} every {}", 100 * r.goodput,
                                duration(r.checkpoint_seconds),
                                duration(r.checkpoint_every_seconds)));
  else if (r.checkpoint_seconds > 0)
    lines.push_back(fmt::format("a checkpoint takes {}", duration(r.checkpoint_seconds)));
  if (r.epoch_seconds)
    lines.push_back(fmt::format("an epoch takes {}; {} samples are drawn twice in it",
                                duration(*r.epoch_seconds), format_count(*r.padded_samples)));
  return lines;
}

void write_campaign(JsonWriter& json, const CampaignReport& r) {
  const auto optional = [&](std::string_view key, const std::optional<double>& value) {
    if (value) json.number(key, *value);
  };
  json.number("goodput", r.goodput);
  json.number("mtbf_s", r.mtbf_seconds);
  json.number("checkpoint_s", r.checkpoint_seconds);
  json.number("checkpoint_every_s", r.checkpoint_every_seconds);
  optional("steps", r.steps);
  optional("time_s", r.seconds);
  optional("gpu_hours", r.gpu_hours);
  optional("cost", r.cost);
  optional("energy_kwh", r.energy_kwh);
  optional("epoch_s", r.epoch_seconds);
  optional("padded_samples", r.padded_samples);
}

}  // namespace dsim
