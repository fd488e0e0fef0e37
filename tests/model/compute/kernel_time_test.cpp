#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sim/base/error.h"
#include "tests/model/compute/kernels.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

double seconds(const Kernel& kernel, const Gpu& gpu, Precision precision = Precision::bf16) {
  return kernel_time(kernel, precision, gpu, alone(gpu)).seconds;
}

double efficiency(const Kernel& kernel, const Gpu& gpu, Precision precision = Precision::bf16) {
  return kernel.flops / seconds(kernel, gpu, precision) / gpu.peak(precision);
}

Precision half(const Gpu& gpu) {
  if (gpu.bf16 > 0) return Precision::bf16;
  return gpu.fp16 > 0 ? Precision::fp16 : Precision::fp32;
}

/// Sizes spread evenly in the logarithm, multiples of 64.
std::int64_t size(std::mt19937& random, double low, double high) {
  std::uniform_real_distribution<double> exponent(std::log(low), std::log(high));
  return std::max<std::int64_t>(64,
                                static_cast<std::int64_t>(std::exp(exponent(random))) / 64 * 64);
}

}  // namespace

// Measured efficiencies, ai-dynamo/aiconfigurator 095f58a5 gemm_perf, bf16.
TEST_CASE("GEMM efficiencies are near measured ones before derates") {
  struct Point {
    const char* gpu;
    std::int64_t m, n, k;
    double efficiency, tolerance;
  };
  const Point points[] = {
      {"a100", 4096, 4096, 4096, 0.82, 0.05},  {"a100", 8192, 8192, 8192, 0.94, 0.08},
      {"a100", 8192, 1024, 8192, 0.82, 0.08},  {"a100", 2048, 4096, 1024, 0.62, 0.12},
      {"a100", 1024, 4096, 4096, 0.54, 0.40},  // the library takes a tile that wastes a wave
      {"h100", 4096, 4096, 4096, 0.84, 0.05},  {"h100", 8192, 8192, 8192, 0.72, 0.25},  // throttled
      {"h100", 8192, 5120, 5120, 0.81, 0.10},  {"h100", 2048, 4096, 1024, 0.67, 0.08},
      {"h100", 4096, 65536, 4096, 0.83, 0.10}, {"b200", 4096, 4096, 4096, 0.68, 0.08},
      {"b200", 8192, 8192, 8192, 0.75, 0.05},
  };
  for (const Point& point : points) {
    INFO(point.gpu << " " << point.m << " " << point.n << " " << point.k);
    CHECK(efficiency(gemm(point.m, point.n, point.k), gpu_by_name(point.gpu)) ==
          Approx(point.efficiency).epsilon(point.tolerance));
  }
}

// baidu-research/DeepBench results/train/DeepBench_NV_V100.xlsx, a DGX-1.
TEST_CASE("The V100 row is near DeepBench in fp16, which is assumed, and fp32") {
  struct Point {
    std::int64_t m, n, k;
    Precision precision;
    double tflops;
  };
  const Point points[] = {
      {1760, 7000, 1760, Precision::fp16, 89.4},   {2048, 7000, 2048, Precision::fp16, 98.0},
      {2560, 7000, 2560, Precision::fp16, 103.8},  {4096, 7000, 4096, Precision::fp16, 112.3},
      {1760, 7000, 1760, Precision::fp32, 14.07},  {2048, 7000, 2048, Precision::fp32, 14.67},
      {5124, 9124, 2560, Precision::fp32, 13.42},  {3072, 7435, 1024, Precision::fp32, 13.77},
      {1024, 24000, 2048, Precision::fp32, 12.82}, {7680, 24000, 2560, Precision::fp32, 13.89},
  };
  const Gpu& v100 = gpu_by_name("v100");
  for (const Point& point : points) {
    INFO(point.m << " " << point.n << " " << point.k);
    const Kernel kernel = gemm(point.m, point.n, point.k, element_bytes(point.precision));
    CHECK(kernel.flops / seconds(kernel, v100, point.precision) / 1e12 ==
          Approx(point.tflops).epsilon(point.precision == Precision::fp16 ? 0.16 : 0.10));
  }
}

TEST_CASE("One tile more than the SMs hold costs a second wave") {
  // 64 rows and one fat k: every tile shape cuts along n alone. 128 columns a tile, 108 SMs.
  const Gpu& a100 = gpu_by_name("a100");
  ComputeConstants constants = alone(a100);
  constants.gemm_floor.value = 0;
  Kernel full = gemm(128 * 108, 256, 16384), spill = gemm(128 * 109, 256, 16384);
  full.bytes = spill.bytes = 0;  // compute alone
  const double one = kernel_time(full, Precision::bf16, a100, constants).seconds;
  const double two = kernel_time(spill, Precision::bf16, a100, constants).seconds;
  CHECK(two > 1.15 * one);  // 0.9 % more work
}

TEST_CASE("More work of one shape class is never faster and no kernel beats the sheet") {
  const unsigned seed = 20240611;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (const Gpu* gpu : gpus()) {
    const Precision precision = half(*gpu);
    for (int i = 0; i < 100; ++i) {
      const std::int64_t m = size(random, 64, 40000), n = size(random, 64, 40000),
                         k = size(random, 64, 40000);
      INFO(gpu->name << " m " << m << " n " << n << " k " << k);
      const double base = seconds(gemm(m, n, k), *gpu, precision);
      const double rounding = base * (1 - 1e-12);
      CHECK(seconds(gemm(m + 64, n, k), *gpu, precision) >= rounding);
      CHECK(seconds(gemm(m, 2 * n, k), *gpu, precision) >= rounding);
      CHECK(seconds(gemm(m, n, 2 * k), *gpu, precision) >= rounding);
      CHECK(seconds(gemm(m, n, k, 2, 3), *gpu, precision) >= rounding);
      Kernel heavier = gemm(m, n, k);
      heavier.bytes *= 1.5;
      CHECK(seconds(heavier, *gpu, precision) >= rounding);

      const Kernel kernel = gemm(m, n, k);
      const KernelTime time = kernel_time(kernel, precision, *gpu, alone(*gpu));
      CHECK(kernel.flops / time.seconds < gpu->peak(precision));
      CHECK(kernel.bytes / time.seconds < gpu->hbm_bandwidth);
      CHECK(time.sm_share > 0);
      CHECK(time.sm_share <= 1);
      CHECK(time.hbm_bytes == kernel.bytes);
    }
  }
}

TEST_CASE("A memory-bound kernel takes its floor plus bytes at less than the sheet bandwidth") {
  const unsigned seed = 7;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(std::log(1.0), std::log(1e11));
  for (const Gpu* gpu : gpus()) {
    INFO(gpu->name);
    CHECK(seconds(bytes(0), *gpu, half(*gpu)) == Approx(gpu->constants.kernel_floor.value));
    CHECK(seconds(bytes(0, 5), *gpu, half(*gpu)) == Approx(5 * gpu->constants.kernel_floor.value));
    const double large = 1e12;
    CHECK(large / seconds(bytes(large), *gpu, half(*gpu)) / gpu->hbm_bandwidth ==
          Approx(gpu->constants.memory_efficiency.value).epsilon(1e-3));
    for (int i = 0; i < 200; ++i) {
      const double count = std::exp(exponent(random));
      const double time = seconds(bytes(count), *gpu, half(*gpu));
      INFO(count << " bytes");
      CHECK(count / time < gpu->hbm_bandwidth);
      CHECK(seconds(bytes(count * 1.01), *gpu, half(*gpu)) > time);
      CHECK(seconds(bytes(count, 2), *gpu, half(*gpu)) > time);
    }
  }
}

TEST_CASE("Convolutions: stems and grouped ones are slow, a split sum is not") {
  const Gpu& a100 = gpu_by_name("a100");
  const auto conv = [](std::int64_t m, std::int64_t n, std::int64_t k, double tensors, Pass pass,
                       std::int64_t groups = 1) {
    Kernel kernel = gemm(m, n, k, 2, groups);
    kernel.kind = KernelKind::conv;
    kernel.pass = pass;
    kernel.bytes = tensors;
    return kernel;
  };
  // ResNet-50 at 64 images: stem, a 3x3 of 128 channels, its weight gradient.
  const double pixels = 64.0 * 28 * 28;
  const Kernel stem =
      conv(64 * 112 * 112, 64, 147, 64 * 2.0 * (224 * 224 * 3 + 112 * 112 * 64), Pass::forward);
  const Kernel body = conv(64 * 28 * 28, 128, 1152, 4 * pixels * 128, Pass::forward);
  Kernel weights = conv(128, 1152, 64 * 28 * 28, 4 * pixels * 128, Pass::wgrad);
  CHECK(efficiency(stem, a100) < 0.15);
  CHECK(efficiency(body, a100) > 0.4);
  CHECK(efficiency(weights, a100) > 0.25);
  // 32 groups of 4 channels (ResNeXt-50 32x4d) in fp32 on V100: a few per cent of peak.
  const Gpu& v100 = gpu_by_name("v100");
  Kernel grouped = conv(32 * 56 * 56, 4, 36, 8.0 * 32 * 56 * 56 * 128, Pass::forward, 32);
  CHECK(efficiency(grouped, v100, Precision::fp32) < 0.08);
  Kernel dense = conv(32 * 56 * 56, 64, 576, 8.0 * 32 * 56 * 56 * 64, Pass::forward);
  CHECK(efficiency(dense, v100, Precision::fp32) > 0.5);
}

TEST_CASE(
    "Derates multiply: kappa on arithmetic, kappa_bytes on traffic, wgrad on weight gradients") {
  const Gpu& a100 = gpu_by_name("a100");
  Kernel kernel = gemm(4096, 4096, 4096);
  const double base = seconds(kernel, a100);
  CHECK(kernel_time(kernel, Precision::bf16, a100, a100.constants).seconds ==
        Approx(base * a100.constants.kappa));
  kernel.pass = Pass::wgrad;
  CHECK(seconds(kernel, a100) == Approx(base * a100.constants.wgrad));
  kernel.accumulates = true;
  CHECK(seconds(kernel, a100) == Approx(base * a100.constants.wgrad_accumulate));
  CHECK(kernel_time(bytes(1e8), Precision::bf16, a100, a100.constants).seconds ==
        Approx(seconds(bytes(1e8), a100) * a100.constants.kappa_bytes));
}

TEST_CASE("Precision changes a GEMM by its peak; fp8 by its gain") {
  const Gpu& h100 = gpu_by_name("h100");
  const double bf16 = seconds(gemm(8192, 8192, 8192), h100);
  CHECK(seconds(gemm(8192, 8192, 8192), h100, Precision::fp16) == Approx(bf16));
  CHECK(seconds(gemm(8192, 8192, 8192, 4), h100, Precision::tf32) ==
        Approx(2 * bf16).epsilon(0.05));
  CHECK(seconds(gemm(8192, 8192, 8192, 1), h100, Precision::fp8) ==
        Approx(bf16 / 1.9).epsilon(0.05));
  CHECK(seconds(gemm(8192, 8192, 8192, 4), h100, Precision::fp32) > 10 * bf16);
  CHECK_THROWS_AS(seconds(gemm(64, 64, 64), gpu_by_name("v100"), Precision::bf16), InputError);
}
