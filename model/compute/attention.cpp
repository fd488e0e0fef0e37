#include "model/compute/attention.h"

#include <algorithm>
#include <cmath>

namespace dsim {
namespace {

/// Efficiency without a causal mask over that with one: FlashAttention-2 and -3 on H100 agree
/// within 3 % (arXiv 2407.08608, head 128, sequences of 512 to 16k).
constexpr SizeCurve unmasked{512, 2, {1.60, 1.34, 1.20, 1.12, 1.09, 1.06}};

/// Query rows of a thread block.
constexpr double block_rows = 128;

}  // namespace

KernelTime attention_time(const Kernel& kernel, Precision precision, const Gpu& gpu,
                          const ComputeConstants& constants) {
  // Attention stays in 16 bits where the GEMMs around it run in fp8.
  const double peak = gpu.peak(precision == Precision::fp8 ? Precision::bf16 : precision);
  const auto sequence = static_cast<double>(kernel.k);
  const double blocks = static_cast<double>(kernel.batch) * std::ceil(sequence / block_rows);
  const double busy_sms = std::min(1.0, blocks / gpu.sms);

  double efficiency = constants.attention * constants.attention_curve.at(sequence) * busy_sms;
  if (!kernel.causal) efficiency *= unmasked.at(sequence);
  if (kernel.n <= 64) efficiency *= constants.attention_narrow;
  if (kernel.pass != Pass::forward) efficiency *= constants.attention_backward;
  efficiency = std::min(efficiency, 1.0);

  const double compute = kernel.flops / (peak * efficiency);
  const double memory = kernel.bytes / (gpu.hbm_bandwidth * constants.gemm_memory);
  const double seconds = constants.gemm_floor + std::max(compute, memory);
  return {seconds, busy_sms * compute / seconds, kernel.bytes};
}

}  // namespace dsim
