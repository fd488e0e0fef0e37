#include "model/compute/gpu_rows.h"

namespace dsim {
namespace {

constexpr std::string_view guess =
    "structure of the A100 row; level checked on DeepBench_NV_V100 GEMMs";

constexpr ComputeConstants constants{
    .gemm_floor = {4e-6, 0.3, Level::assumed, guess, ""},
    .gemm_efficiency = {0.90, 0.12, Level::assumed, guess, ""},
    .simt_efficiency = simt_efficiency,
    .gemm_memory = {0.75, 0.12, Level::assumed, guess, ""},
    .gemm_tile = {9, 0.3, Level::assumed, guess, ""},
    .gemm_depth = {184, 0.2, Level::assumed, guess, ""},
    .gemm_waves = whole_waves,
    .split_cost = {1.6e-6, 0.3, Level::assumed, guess, ""},
    .gemm_unaligned = gemm_unaligned,
    .gemm_misaligned = no_line_alignment,
    .throttle = {1.0, 0.05, Level::assumed, guess, "long kernels"},
    .fp8_gain = no_fp8,
    .fp8_gain_grouped = no_fp8,
    .conv = conv_tensor,
    .conv_fp32 = conv_fp32,
    .winograd = winograd,
    .wgrad = wgrad,
    .wgrad_accumulate = wgrad_accumulate,
    .attention = {1.0, 0.25, Level::assumed,
                  "FlashAttention-1 as on A100 (xformers); Volta has no FlashAttention-2", ""},
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.87, 0.05, Level::assumed, "as H100", ">= 64 MB"},
    .memory_sms = memory_sms,
    .kernel_floor = {2.5e-6, 0.3, Level::assumed, "as A100", ""},
    .kappa = {1.05, 0.12, Level::fitted, step_fit, "300 W"},
    .kappa_bytes = {1.0, 0.05, Level::fitted, step_fit, ""},
    .memory_curve = ampere_memory_curve,
};

constexpr Gpu v100(std::string_view name, std::string_view title, double hbm_bytes,
                   double fp32 = 15.7 * tera, double fp16 = 125 * tera) {
  return {.name = name,
          .title = title,
          .help = "NVIDIA V100 data sheet; capacity as nvidia-smi shows it",
          .architecture = Architecture::volta,
          .sms = 80,
          .fp32 = fp32,
          .tf32 = 0,
          .fp16 = fp16,
          .bf16 = 0,
          .fp8 = 0,
          .hbm_bytes = hbm_bytes,
          .hbm_bandwidth = 0.90 * tera,
          .constants = constants};
}

}  // namespace

constinit const Gpu v100_sxm2_16 = v100("v100-sxm2-16", "V100 SXM2 16 GB", 16160 * mebi);
constinit const Gpu v100_sxm2_32 = v100("v100-sxm2-32", "V100 SXM2 32 GB", 32510 * mebi);
constinit const Gpu v100_pcie =
    v100("v100-pcie", "V100 PCIe 32 GB; 250 W", 32510 * mebi, 14 * tera, 112 * tera);

}  // namespace dsim
