#include "model/compute/gpu_rows.h"

namespace dsim {
namespace {

constexpr std::string_view guess = "structure of the A100 row; level from the best GEMM reported";

constexpr Constant amd_alignment{1.0, 0.15, Level::assumed, "no figure known", ""};

// Best GEMM over many shapes, of the sheet peak: MI300X 0.514, MI325X 0.60
// (stas00/ml-engineering 744d01e1, the latter with a newer ROCm); MI250X not reported, assumed
// 0.75; MI300A as MI300X.
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
      .gemm_unaligned = amd_alignment,
      .gemm_misaligned = amd_alignment,
      .throttle = {1.0, 0.05, Level::assumed, guess, "long kernels"},
      .fp8_gain = {fp8_gain, 0.2, Level::assumed, guess, ""},
      .fp8_gain_grouped = {1 + (fp8_gain - 1) / 2, 0.2, Level::assumed, guess, ""},
      .conv = conv_tensor,
      .conv_fp32 = {1.0, 0.25, Level::assumed, guess, ""},
      .winograd = winograd,
      .wgrad = {1.10, 0.15, Level::assumed, guess, ""},
      .wgrad_accumulate = wgrad_accumulate,
      .attention = {1.0, 0.3, Level::assumed, guess, "causal, head 128"},
      .attention_backward = {0.8, 0.15, Level::assumed, guess, ""},
      .attention_narrow = attention_narrow,
      .memory_efficiency = {0.80, 0.1, Level::assumed, guess, ">= 64 MB"},
      .memory_sms = memory_sms,
      .kernel_floor = {4e-6, 0.3, Level::assumed, guess, ""},
      .kappa = {1.15, 0.2, Level::assumed, guess, ""},
      .kappa_bytes = {1.10, 0.15, Level::assumed, guess, ""},
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
constinit const Gpu mi300a{.name = "mi300a",
                           .title = "MI300A 128 GB",
                           .help = "AMD MI300A data sheet, dense peaks; memory shared with its CPU",
                           .architecture = Architecture::cdna3,
                           .sms = 228,
                           .fp32 = 122.6 * tera,
                           .tf32 = 490.3 * tera,
                           .fp16 = 980.6 * tera,
                           .bf16 = 980.6 * tera,
                           .fp8 = 1961 * tera,
                           .hbm_bytes = 131072 * mebi,
                           .hbm_bandwidth = 5.3 * tera,
                           .constants = with(0.55, 1.7)};
constinit const Gpu mi325x{
    .name = "mi325x",
    .title = "MI325X 256 GB",
    .help = "AMD MI325X data sheet, dense peaks; stas00/ml-engineering 744d01e1",
    .architecture = Architecture::cdna3,
    .sms = 304,
    .fp32 = 163.4 * tera,
    .tf32 = 653.7 * tera,
    .fp16 = 1307 * tera,
    .bf16 = 1307 * tera,
    .fp8 = 2615 * tera,
    .hbm_bytes = 262128 * mebi,
    .hbm_bandwidth = 6.0 * tera,
    .constants = with(0.62, 1.7)};
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
