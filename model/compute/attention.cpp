#include "model/compute/attention.h"

#include <algorithm>
#include <cmath>

#include "model/compute/attention_curves.h"

namespace dsim {
namespace {

/// Query rows of a thread block; head sizes are padded to a multiple of `head_step` (Dao-AILab/
/// flash-attention: kernels for 32, 64, 96, 128, 160, 192, 256).
constexpr double block_rows = 128, head_step = 32;

/// FLOPs per query, key and unit of head size.
double products(Pass pass) { return pass == Pass::forward ? 4 : 10; }

/// The sequence length whose rows are as long on average as those of this kernel.
double effective_sequence(const Kernel& kernel, double rows) {
  const auto keys = static_cast<double>(kernel.k);
  const double work = products(kernel.pass) * static_cast<double>(kernel.batch) * rows *
                      static_cast<double>(kernel.n);
  if (work <= 0) return keys;
  const double visible = kernel.flops / work;
  return std::min(keys, kernel.causal ? 2 * visible : visible);
}

/// Efficiency of a head size over that of 128: measured at 64, 128 and 256, linear between; what is
/// padded is lost.
double head_factor(double head, const AttentionCurves& curves, double narrow) {
  const double padded = std::ceil(head / head_step) * head_step;
  const double at_64 = curves.narrow * narrow;
  const double factor = padded <= 64    ? at_64
                        : padded <= 128 ? std::lerp(at_64, 1.0, (padded - 64) / 64)
                        : padded <= 256 ? std::lerp(1.0, curves.wide, (padded - 128) / 128)
                                        : curves.wide;
  return factor * head / padded;
}

}  // namespace

KernelTime attention_time(const Kernel& kernel, Precision precision, const Gpu& gpu,
                          const ComputeConstants& constants) {
  // Attention stays in 16 bits where the GEMMs around it run in fp8.
  const double peak = gpu.peak(precision == Precision::fp8 ? Precision::bf16 : precision);
  const AttentionCurves& curves = attention_curves(kernel.attention, gpu.architecture);
  const auto rows = static_cast<double>(kernel.m > 0 ? kernel.m : kernel.k);
  const double sequence = effective_sequence(kernel, rows);
  const double blocks = static_cast<double>(kernel.batch) * std::ceil(rows / block_rows);
  const double busy_sms = std::min(1.0, blocks / gpu.sms);

  double efficiency =
      constants.attention * curves.causal.at(sequence) * busy_sms *
      head_factor(static_cast<double>(kernel.n), curves, constants.attention_narrow);
  if (!kernel.causal) efficiency *= unmasked_gain(sequence);
  if (kernel.pass != Pass::forward)
    efficiency *= constants.attention_backward * backward_share(sequence);
  efficiency = std::min(efficiency, 1.0);

  const double compute = efficiency > 0 ? kernel.flops / (peak * efficiency) : 0;
  const double memory = kernel.bytes / (gpu.hbm_bandwidth * constants.gemm_memory);
  const double seconds = constants.gemm_floor + std::max(compute, memory);
  return {seconds, busy_sms * compute / seconds, kernel.bytes};
}

}  // namespace dsim
