#include "model/compute/gemm.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsim {
namespace {

struct Tile {
  double m, n;
};

/// Thread-block tiles of cuBLAS and CUTLASS GEMM kernels, largest first.
constexpr Tile tiles[] = {{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128}, {64, 64}};

double pow4(double x) { return x * x * x * x; }

}  // namespace

GemmRate gemm_rate(Precision precision, const Gpu& gpu, const ComputeConstants& constants) {
  if (precision == Precision::fp8) {
    gpu.peak(precision);  // InputError if it has none
    return {gpu.bf16 * constants.fp8_gain, constants.gemm_tile, constants.gemm_depth};
  }
  const double peak = gpu.peak(precision);
  const double intensity = peak / gpu.fp16 * element_bytes(precision) / 2;
  return {peak, constants.gemm_tile * intensity, constants.gemm_depth * intensity};
}

GemmTime gemm_time(const GemmProblem& problem, const GemmRate& rate, const Gpu& gpu,
                   const ComputeConstants& constants) {
  const double sms = gpu.sms;
  const double bandwidth = gpu.hbm_bandwidth * constants.gemm_memory;
  const double sm_rate = rate.peak / sms * constants.gemm_efficiency;
  // The partial sums of a split-K kernel: written and read once in fp32, then reduced.
  const double partial_bytes = 2 * problem.element_bytes * problem.m * problem.n * problem.batch;

  GemmTime best;
  best.compute = std::numeric_limits<double>::infinity();
  for (const Tile& tile : tiles) {
    const double count =
        std::ceil(problem.m / tile.m) * std::ceil(problem.n / tile.n) * problem.batch;
    const double q = tile.m * tile.n / (tile.m + tile.n);
    const double depth_seconds = 2 * tile.m * tile.n / (sm_rate * q / (q + rate.tile));
    for (int split = 1; split <= problem.split_limit; split *= 2) {
      if (split > 1 && (problem.k < 512.0 * split || count * split > 2 * sms)) break;
      const double waves = std::ceil(count * split / sms);
      double seconds = waves * depth_seconds * (problem.k / split + rate.depth);
      if (split > 1) seconds += constants.split_cost + split * partial_bytes / bandwidth;
      if (seconds < best.compute) {
        best.compute = seconds;
        best.busy_sms = std::ceil(count * split / waves) / sms;
      }
    }
  }
  const double memory = problem.bytes / bandwidth;
  best.seconds = constants.gemm_floor + std::sqrt(std::sqrt(pow4(best.compute) + pow4(memory)));
  return best;
}

}  // namespace dsim
