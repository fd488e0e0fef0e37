#pragma once
#include <cstdint>

#include "model/calibration.h"

namespace dsim {

/// Relative standard deviation of the speed of like GPUs: a synchronous job runs at its slowest.
Constant built_in_gpu_spread();

/// How much longer kernels take on the slowest of `ranks` GPUs than on the slowest of 8, to which
/// the derates kappa of the GPU table belong (they were fitted on jobs of 8 GPUs and more). Speeds
/// are normal with the given spread; the expected largest of n values is Blom's
///   quantile((n - 3/8) / (n + 1/4))   of the standard normal distribution. Requires ranks >= 1.
double slowest_gpu_factor(std::uint32_t ranks, double spread);

}  // namespace dsim
