#include <algorithm>
#include <cmath>

#include "model/compute/attention.h"
#include "model/compute/gemm.h"
#include "model/compute/gpu.h"

namespace dsim {
namespace {

/// Kernels long enough for power to settle run at the sustained clock: the factor grows from 1 at
/// 3e11 FLOP of the peak to `throttle` at 3e12. It depends on time alone, so more work is never
/// faster.
double sustained(double seconds, double peak, double throttle) {
  const double share = std::clamp(std::log10(seconds * peak / 3e11), 0.0, 1.0);
  return 1 + (throttle - 1) * share;
}

/// The sum of an implicit GEMM walks the filter positions and takes whole slabs of `slab` channels
/// at each (NVIDIA/cutlass implicit_gemm_convolution.md), so c_in * r * s of few channels is
/// padded: 3 channels to 32 in the stem of a ResNet. Only then the filter area matters; it is
/// guessed.
double padded_patch(double size, double slab) {
  if (std::fmod(size, slab) == 0) return size;
  for (const double area : {49.0, 25.0, 9.0})
    if (std::fmod(size, area) == 0) return area * std::ceil(size / area / slab) * slab;
  return std::ceil(size / slab) * slab;
}

/// cuDNN takes Winograd kernels for 3x3 filters of stride 1 on CUDA cores, whose transforms save
/// multiplications (Lavin & Gray 2016, arXiv 1509.09308).
bool winograd_applies(const Kernel& kernel, Precision precision) {
  return precision == Precision::fp32 && kernel.filter == 3 && kernel.stride == 1 &&
         kernel.batch == 1;
}

KernelTime multiply(const Kernel& kernel, Precision precision, const Gpu& gpu,
                    const ComputeConstants& constants) {
  const bool conv = kernel.kind == KernelKind::conv;
  const bool wgrad = kernel.pass == Pass::wgrad;
  const bool grouped = kernel.groups > 1;
  GemmProblem problem{static_cast<double>(kernel.m),
                      static_cast<double>(kernel.n),
                      static_cast<double>(kernel.k),
                      static_cast<double>(kernel.batch),
                      static_cast<double>(element_bytes(precision)),
                      kernel.bytes,
                      !grouped};
  GemmRate rate = gemm_rate(precision, gpu, constants, grouped);
  if (conv) {
    const bool tensor_cores = precision != Precision::fp32;
    if (wgrad)
      problem.n = padded_patch(problem.n, 16 / problem.element_bytes);
    else
      problem.k = padded_patch(problem.k, tensor_cores ? 64 / problem.element_bytes : 8);
    if (winograd_applies(kernel, precision)) rate.peak *= constants.winograd;
  } else {
    // Tokens run across the rows of all three uses: n and k lie along them, m and n in wgrad.
    rate.peak /= alignment_factor(problem.n * problem.element_bytes,
                                  (wgrad ? problem.m : problem.k) * problem.element_bytes,
                                  precision, constants);
  }
  const GemmTime time = gemm_time(problem, rate, gpu, constants);
  double factor = constants.kappa * sustained(time.seconds, rate.peak, constants.throttle);
  if (wgrad) factor *= kernel.accumulates ? constants.wgrad_accumulate : constants.wgrad;
  if (conv) factor *= precision == Precision::fp32 ? constants.conv_fp32 : constants.conv;
  return {factor * time.seconds, time.busy_sms * std::min(1.0, time.compute / time.seconds),
          kernel.bytes};
}

KernelTime move(const Kernel& kernel, const Gpu& gpu, const ComputeConstants& constants) {
  const double launches = std::max(kernel.launches, 1);
  const double efficiency =
      constants.memory_efficiency * constants.memory_curve.at(kernel.bytes / launches);
  const double seconds =
      launches * constants.kernel_floor + kernel.bytes / (gpu.hbm_bandwidth * efficiency);
  return {constants.kappa_bytes * seconds, constants.memory_sms, kernel.bytes};
}

}  // namespace

KernelTime kernel_time(const Kernel& kernel, Precision precision, const Gpu& gpu,
                       const ComputeConstants& constants) {
  switch (kernel.kind) {
    case KernelKind::gemm:
    case KernelKind::conv:
      return multiply(kernel, precision, gpu, constants);
    case KernelKind::attention: {
      KernelTime time = attention_time(kernel, precision, gpu, constants);
      time.seconds *= constants.kappa;
      return time;
    }
    case KernelKind::communication:
      return {};  // the network's, not the GPU's
    case KernelKind::memory:
      break;
  }
  return move(kernel, gpu, constants);
}

}  // namespace dsim
