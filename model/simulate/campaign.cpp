#include "model/simulate/campaign.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.h"
#include "sim/base/quantity.h"

namespace dsim {

namespace {

/// Wall time over useful time: M e^(R/M) (e^((tau + delta)/M) - 1) / tau.
double stretch(double work, double dump, double restart, double mtbf) {
  if (mtbf <= 0) return 1 + dump / work;
  return mtbf * std::exp(restart / mtbf) * std::expm1((work + dump) / mtbf) / work;
}

/// Daly's higher-order optimum; the first-order one is sqrt(2 delta M) - delta.
double best_interval(double dump, double mtbf) {
  if (dump >= 2 * mtbf) return mtbf;
  const double x = dump / (2 * mtbf);
  return std::sqrt(2 * dump * mtbf) * (1 + std::sqrt(x) / 3 + x / 9) - dump;
}

}  // namespace

CampaignReport campaign(const CampaignOptions& options, const CampaignStep& step) {
  CampaignReport report;
  report.mtbf_seconds = options.mtbf_node_seconds / static_cast<double>(step.nodes);
  report.checkpoint_seconds = options.checkpoint_seconds;
  if (report.checkpoint_seconds == 0 && options.storage_bandwidth > 0)
    report.checkpoint_seconds = step.state_bytes / options.storage_bandwidth;
  report.checkpoint_every_seconds = options.checkpoint_every_seconds;
  if (report.checkpoint_every_seconds == 0 && report.mtbf_seconds > 0 &&
      report.checkpoint_seconds > 0) {
    report.checkpoint_every_seconds =
        std::max(step.step_seconds, best_interval(report.checkpoint_seconds, report.mtbf_seconds));
    report.checkpoint_interval_chosen = true;
  }
  if (report.checkpoint_every_seconds > 0) {
    const double longest = report.checkpoint_every_seconds + report.checkpoint_seconds;
    if (report.mtbf_seconds > 0 && longest > 20 * report.mtbf_seconds)
      throw InputError(fmt::format(
          "the job fails every {} on average, so work of {} between checkpoints is never done",
          format_time(report.mtbf_seconds), format_time(report.checkpoint_every_seconds)));
    report.goodput = 1 / stretch(report.checkpoint_every_seconds, report.checkpoint_seconds,
                                 options.restart_seconds, report.mtbf_seconds);
  } else if (report.mtbf_seconds > 0) {
    throw InputError(
        "with failures (--mtbf) a checkpoint's time is needed: --checkpoint-time, or "
        "--storage-bandwidth");
  }

  if (options.dataset > 0) {
    const double share = std::ceil(options.dataset / static_cast<double>(step.replicas));
    const double drawn = share * static_cast<double>(step.replicas);
    report.padded_samples = drawn - options.dataset;
    report.epoch_seconds = std::ceil(drawn / step.samples) * step.step_seconds / report.goodput;
  }
  double samples = options.samples;
  if (samples == 0 && options.tokens > 0)
    samples = options.tokens / (step.tokens_per_sample > 0 ? step.tokens_per_sample : 1);
  if (samples == 0) return report;
  report.steps = std::ceil(samples / step.samples);
  report.seconds = *report.steps * step.step_seconds / report.goodput;
  report.gpu_hours = *report.seconds / 3600 * static_cast<double>(step.gpus);
  if (options.price_gpu_hour > 0) report.cost = *report.gpu_hours * options.price_gpu_hour;
  if (options.gpu_watts > 0) report.energy_kwh = *report.gpu_hours * options.gpu_watts / 1000;
  return report;
}

}  // namespace dsim
