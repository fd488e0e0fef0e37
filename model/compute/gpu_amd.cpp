#include "model/compute/gpu_rows.h"

namespace dsim {
namespace {

constexpr std::string_view guess = "structure of the A100 row; level from the best GEMM reported";

// Best GEMM over many shapes, of the sheet peak: MI300X 0.514 (stas00/ml-engineering 744d01e1);
// MI250X not reported, assumed 0.75.
constexpr ComputeConstants with(double gemm_efficiency, double fp8_gain) {
  return {
      .gemm_floor = {4e-6, 0.3, Level::assumed, guess, ""},
      .gemm_efficiency = {gemm_efficiency, 0.15, Level::assumed, guess, ""},
      .simt_efficiency = {0.8, 0.2, Level::assumed, guess, ""},
      .gemm_memory = {0.72, 0.15, Level::assumed, guess, ""},
      .gemm_tile = {11.4, 0.3, Level::assumed, guess, ""},
      .gemm_depth = {189, 0.3, Level::assumed, guess, ""},
      .gemm_waves = whole_waves,
      .split_cost = {2e-6, 0.3, Level::assumed, guess, ""},
      .throttle = {1.0, 0.05, Level::assumed, guess, "long kernels"},
      .fp8_gain = {fp8_gain, 0.2, Level::assumed, guess, ""},
      .conv = conv_tensor,
      .conv_fp32 = {1.0, 0.25, Level::assumed, guess, ""},
      .wgrad = {1.10, 0.15, Level::assumed, guess, ""},
      .attention = {1.0, 0.3, Level::assumed, guess, "causal, head 128"},
      .attention_backward = {0.8, 0.15, Level::assumed, guess, ""},
      .attention_narrow = {0.78, 0.15, Level::assumed, guess, "heads of 64"},
      .memory_efficiency = {0.80, 0.1, Level::assumed, guess, ">= 64 MB"},
      .memory_sms = memory_sms,
      .kernel_floor = {4e-6, 0.3, Level::assumed, guess, ""},
      .kappa = {1.15, 0.2, Level::assumed, guess, ""},
      .kappa_bytes = {1.10, 0.15, Level::assumed, guess, ""},
      .attention_curve = {512, 2, {0.15, 0.22, 0.30, 0.35, 0.38, 0.40}},
      .memory_curve = {},
  };
}

}  // namespace

constinit const Gpu mi250x_gcd{
    .name = "mi250x-gcd",
    .title = "MI250X, one of its two dies, 64 GB",
    .help = "AMD MI250X data sheet, halved; matrix peak pytorch/torchtitan b5bcd76c",
    .architecture = Architecture::cdna2,
    .sms = 110,
    .fp32 = 23.95 * tera,
    .tf32 = 0,
    .fp16 = 191.5 * tera,
    .bf16 = 191.5 * tera,
    .fp8 = 0,
    .hbm_bytes = 65520 * mebi,
    .hbm_bandwidth = 1.6 * tera,
    .constants = with(0.75, 1)};
constinit const Gpu mi300x{.name = "mi300x",
                           .title = "MI300X 192 GB",
                           .help = "AMD MI300X data sheet, dense peaks",
                           .architecture = Architecture::cdna3,
                           .sms = 304,
                           .fp32 = 163.4 * tera,
                           .tf32 = 653.7 * tera,
                           .fp16 = 1307 * tera,
                           .bf16 = 1307 * tera,
                           .fp8 = 2615 * tera,
                           .hbm_bytes = 196592 * mebi,
                           .hbm_bandwidth = 5.3 * tera,
                           .constants = with(0.55, 1.7)};

}  // namespace dsim
