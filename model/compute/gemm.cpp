#include "model/compute/gemm.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace dsim {
namespace {

struct Tile {
  double m, n;
};

/// Thread-block tiles of cuBLAS and CUTLASS GEMM kernels; the last two only for narrow results.
constexpr Tile tiles[] = {{256, 128}, {128, 256}, {128, 128}, {128, 64},
                          {64, 128},  {64, 64},   {128, 32},  {32, 128}};
constexpr double narrow = 32;
constexpr int most_splits = 64;

/// A tile on this problem: its thread blocks, and the time one block takes for each step of k.
struct Blocks {
  double count = 0, step = 0;
};

double pow4(double x) { return x * x * x * x; }

}  // namespace

GemmRate gemm_rate(Precision precision, const Gpu& gpu, const ComputeConstants& constants,
                   bool grouped) {
  if (precision == Precision::fp8) {
    gpu.peak(precision);  // InputError if it has none
    const double gain = grouped ? constants.fp8_gain_grouped : constants.fp8_gain;
    return {gpu.bf16 * gain * constants.gemm_efficiency, constants.gemm_tile, constants.gemm_depth};
  }
  const double peak = gpu.peak(precision);
  const double half_peak = gpu.fp16 > 0 ? gpu.fp16 : 2 * gpu.fp32;  // Kepler has no fp16
  const double intensity = peak / half_peak * element_bytes(precision) / 2;
  const double large =
      precision == Precision::fp32 ? constants.simt_efficiency : constants.gemm_efficiency;
  return {peak * large, constants.gemm_tile * intensity, constants.gemm_depth * intensity};
}

double alignment_factor(double row, double other_row, Precision precision,
                        const ComputeConstants& constants) {
  if (precision == Precision::fp32) return 1;
  const auto at = [&](double boundary) {
    return std::fmod(row, boundary) == 0 && std::fmod(other_row, boundary) == 0;
  };
  if (!at(16)) return constants.gemm_unaligned;
  return at(128) ? 1 : constants.gemm_misaligned.value;
}

GemmTime gemm_time(const GemmProblem& problem, const GemmRate& rate, const Gpu& gpu,
                   const ComputeConstants& constants) {
  const double sms = gpu.sms;
  const double bandwidth = gpu.hbm_bandwidth * constants.gemm_memory;
  const double memory = problem.bytes / bandwidth;
  const double sm_rate = rate.peak / sms;
  const double whole = constants.gemm_waves;

  Blocks blocks[std::size(tiles)];
  std::size_t usable = 0;
  for (const Tile& tile : tiles) {
    if ((tile.m <= narrow && problem.m > narrow) || (tile.n <= narrow && problem.n > narrow))
      continue;
    const double q = tile.m * tile.n / (tile.m + tile.n);
    blocks[usable++] = {
        std::ceil(problem.m / tile.m) * std::ceil(problem.n / tile.n) * problem.batch,
        2 * tile.m * tile.n / (sm_rate * q / (q + rate.tile))};
  }

  GemmTime best;
  best.seconds = std::numeric_limits<double>::infinity();
  for (int split = 1; split <= (problem.splits ? most_splits : 1); split *= 2) {
    // A split sum writes and reads `split` partial results and reduces them in a second kernel.
    const double results = 2 * problem.element_bytes * problem.m * problem.n * problem.batch;
    const double reduction = split == 1 ? 0 : constants.split_cost + split * results / bandwidth;
    if (reduction + memory >= best.seconds) break;
    GemmTime time{0, std::numeric_limits<double>::infinity(), 1};
    for (std::size_t i = 0; i < usable; ++i) {
      const double full = blocks[i].count * split / sms;  // waves, the last one partly filled
      const double waves = whole * std::ceil(full) + (1 - whole) * std::max(1.0, full);
      const double compute = waves * blocks[i].step * (problem.k / split + rate.depth);
      if (compute < time.compute) time = {0, compute, full / waves};
    }
    time.seconds = std::sqrt(std::sqrt(pow4(time.compute) + pow4(memory))) + reduction;
    if (time.seconds < best.seconds) best = time;
  }
  best.seconds += constants.gemm_floor;
  return best;
}

}  // namespace dsim
