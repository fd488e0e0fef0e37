#include "model/simulate/elasticities.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "sim/base/quantity.h"

namespace dsim {

namespace {

// The same configuration run by two operators: 0.8 to 1.7 % (MLPerf Training v3.0-v5.1
// submissions).
constexpr double machine_scatter = 0.015;
constexpr double z90 = 1.645;

struct Variation {
  std::string name, change;
  bool is_constant;
  std::function<void(Scenario&)> apply;
};

void scale(Constant& constant, double factor) { constant.value *= factor; }

std::vector<Variation> constants_of(const Scenario& base) {
  std::vector<Variation> result;
  Scenario copy = base;
  copy.visit([&](std::string_view name, Constant& constant) {
    if (constant.sigma <= 0 || constant.value == 0) return;
    const std::string key(name);
    const double sigma = constant.sigma;
    result.push_back(
        {key, fmt::format("{} {:+.0f} %", key, 100 * sigma), true, [key, sigma](Scenario& s) {
           s.visit([&](std::string_view other, Constant& c) {
             if (other == key) scale(c, 1 + sigma);
           });
         }});
  });
  return result;
}

std::vector<Variation> choices_of(const Scenario& base) {
  std::vector<Variation> result;
  const auto add = [&](std::string name, std::string change, std::function<void(Scenario&)> apply) {
    result.push_back({std::move(name), std::move(change), false, std::move(apply)});
  };
  add("GPU compute", "GPU peak +25 %", [](Scenario& s) {
    for (double* peak : {&s.gpu.fp32, &s.gpu.tf32, &s.gpu.fp16, &s.gpu.bf16, &s.gpu.fp8})
      *peak *= 1.25;
  });
  add("HBM bandwidth", "HBM bandwidth +25 %", [](Scenario& s) { s.gpu.hbm_bandwidth *= 1.25; });
  add("host", "host launches twice as fast", [](Scenario& s) {
    for (Constant* c : {&s.host.forward_launch, &s.host.backward_launch, &s.host.optimizer_launch,
                        &s.host.gradient_hook, &s.host.bucket_copy, &s.host.collective_enqueue})
      scale(*c, .5);
  });
  if (base.request.fusion != Fusion::compile)
    add("fusion", "compile", [](Scenario& s) { s.request.fusion = Fusion::compile; });
  if (base.ranks < 2) return result;
  if (base.plans->topology().node_of(base.plans->gpus().front()) !=
      base.plans->topology().node_of(base.plans->gpus().back()))
    add("network bandwidth", "NIC and fabric rates doubled",
        [](Scenario& s) { scale(s.collective.network.efficiency, 2); });
  add("NVLink bandwidth", "NVLink rate doubled",
      [](Scenario& s) { scale(s.collective.gpu.nvlink_efficiency, 2); });
  add("network latency", "network latency halved", [](Scenario& s) {
    scale(s.collective.network.ll_hop, .5);
    scale(s.collective.network.simple_hop, .5);
    scale(s.collective.network.post, .5);
  });
  if (!base.stragglers.empty())
    add("stragglers", "no straggler", [](Scenario& s) { s.stragglers.clear(); });
  if (!is_plain_ddp(base.training)) return result;
  for (const std::int64_t mib : {1, 4})
    if (base.training.ddp.first_bucket.count != mib << 20)
      add("first bucket", fmt::format("first bucket {} MiB", mib),
          [mib](Scenario& s) { s.training.ddp.first_bucket = {mib << 20}; });
  for (const std::int64_t mib : {10, 25, 50, 100})
    if (base.training.ddp.bucket_cap.count != mib << 20)
      add("bucket cap", fmt::format("bucket cap {} MiB", mib),
          [mib](Scenario& s) { s.training.ddp.bucket_cap = {mib << 20}; });
  if (!base.training.ddp.gradient_as_bucket_view)
    add("bucket view", "gradient_as_bucket_view",
        [](Scenario& s) { s.training.ddp.gradient_as_bucket_view = true; });
  if (base.training.ddp.broadcast_buffers)
    add("buffer broadcast", "no broadcast of buffers",
        [](Scenario& s) { s.training.ddp.broadcast_buffers = false; });
  if (base.training.ddp.compression == Compression::none)
    add("compression", "fp16 gradient compression",
        [](Scenario& s) { s.training.ddp.compression = Compression::fp16; });
  return result;
}

}  // namespace

std::vector<Elasticity> elasticities(const Scenario& base, double base_step_s, std::stop_token stop,
                                     const std::function<void(double)>& progress) {
  std::vector<Variation> variations = constants_of(base);
  for (Variation& choice : choices_of(base)) variations.push_back(std::move(choice));

  std::vector<Elasticity> result(variations.size());
  std::atomic<std::size_t> next{0}, finished{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&](bool reports) {
    for (std::size_t i = next++; i < variations.size() && !stop.stop_requested(); i = next++) {
      try {
        Scenario changed = base;
        variations[i].apply(changed);
        const Outcome outcome = run_scenario(changed, false, stop);
        result[i] = {variations[i].name, variations[i].change, outcome.step_s,
                     (outcome.step_s - base_step_s) / base_step_s, variations[i].is_constant};
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
      ++finished;
      if (reports && progress)
        progress(static_cast<double>(finished) / static_cast<double>(variations.size()));
    }
  };
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 1; t < std::min<unsigned>(cores, 16); ++t) threads.emplace_back(work, false);
    work(true);
  }
  if (failure) std::rethrow_exception(failure);
  return result;
}

Interval interval90(double step_s, const std::vector<Elasticity>& changes) {
  double variance = machine_scatter * machine_scatter;
  for (const Elasticity& e : changes)
    if (e.is_constant && e.step_time_s > 0)
      variance += std::pow(std::log(e.step_time_s / step_s), 2);
  const double spread = std::exp(z90 * std::sqrt(variance));
  return {step_s / spread, step_s * spread};
}

}  // namespace dsim
