#include "model/strategy/block_times.h"

#include "sim/base/error.h"

namespace dsim {

namespace {

/// Everything a kernel's time depends on, names left out.
void describe(const Kernel& k, std::vector<double>& key) {
  const auto add = [&key](auto value) { key.push_back(static_cast<double>(value)); };
  add(k.kind), add(k.pass), add(k.m), add(k.n), add(k.k), add(k.batch);
  add(k.flops), add(k.bytes), add(k.causal), add(k.launches), add(k.groups);
  add(k.filter), add(k.stride), add(k.accumulates), add(k.attention);
  if (k.kind != KernelKind::communication) return;
  add(k.op), add(k.group), add(k.element_bytes), add(k.hidden_behind);
}

}  // namespace

BlockTime BlockTimes::time(std::span<const Kernel> kernels, Phase phase, std::uint32_t stage) {
  require(static_cast<bool>(request_.time_block), "programs of merged kernels need a block timer");
  if (kernels.empty()) return {};
  std::vector<double> key{static_cast<double>(phase), static_cast<double>(stage)};
  for (const Kernel& kernel : kernels) describe(kernel, key);
  const auto [entry, added] = known_.try_emplace(std::move(key));
  if (added) entry->second = request_.time_block(kernels, phase, stage);
  return entry->second;
}

BlockTime operator+(const BlockTime& a, const BlockTime& b) {
  BlockTime sum;
  sum.seconds = a.seconds + b.seconds;
  sum.communication_seconds = a.communication_seconds + b.communication_seconds;
  sum.host_seconds = a.host_seconds + b.host_seconds;
  sum.hbm_bytes = a.hbm_bytes + b.hbm_bytes;
  if (sum.seconds > 0)
    sum.sm_share = (a.sm_share * a.seconds + b.sm_share * b.seconds) / sum.seconds;
  return sum;
}

}  // namespace dsim
