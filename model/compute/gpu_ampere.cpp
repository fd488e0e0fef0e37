#include "model/compute/gpu_rows.h"

namespace dsim {
namespace {

constexpr ComputeConstants constants{
    .gemm_floor = {3.22e-6, 0.15, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_efficiency = {0.99, 0.03, Level::fitted, gemm_fit, gemm_shapes},
    .simt_efficiency = simt_efficiency,
    .gemm_memory = {0.705, 0.06, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_tile = {12.3, 0.15, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_depth = {187, 0.10, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_waves = {0.51, 0.2, Level::fitted, gemm_fit, gemm_shapes},
    .split_cost = {1.55e-6, 0.1, Level::fitted, gemm_fit, "split-K kernels"},
    .gemm_unaligned = gemm_unaligned,
    .gemm_misaligned = gemm_misaligned,
    .throttle = {0.879, 0.03, Level::fitted, gemm_fit, "long kernels"},
    .fp8_gain = no_fp8,
    .fp8_gain_grouped = no_fp8,
    .conv = conv_tensor,
    .conv_fp32 = conv_fp32,
    .winograd = winograd,
    .wgrad = wgrad,
    .wgrad_accumulate = wgrad_accumulate,
    .attention = {1.0, 0.08, Level::measured,
                  "aiconfigurator 095f58a5 context_attention_perf (attention_curves.cpp)",
                  "FlashAttention-2, causal, heads of 128"},
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.85, 0.05, Level::fitted, elementwise_fit, ">= 64 MB"},
    .memory_sms = memory_sms,
    .kernel_floor = {2.5e-6, 0.2, Level::measured, "aiconfigurator 095f58a5: shortest kernels", ""},
    .kappa = {1.12, 0.05, Level::fitted, step_fit, "9 stacks; .95 suits small launch-limited jobs"},
    .kappa_bytes = {1.10, 0.05, Level::fitted, step_fit, ""},
    .memory_curve = ampere_memory_curve,
};

constexpr Gpu sxm(std::string_view name, std::string_view title, std::string_view help,
                  double hbm_bytes, double hbm_bandwidth) {
  return {.name = name,
          .title = title,
          .help = help,
          .architecture = Architecture::ampere,
          .sms = 108,
          .fp32 = 19.5 * tera,
          .tf32 = 156 * tera,
          .fp16 = 312 * tera,
          .bf16 = 312 * tera,
          .fp8 = 0,
          .hbm_bytes = hbm_bytes,
          .hbm_bandwidth = hbm_bandwidth,
          .constants = constants};
}

constexpr Gpu relative(std::string_view name, std::string_view title, std::string_view help,
                       double hbm_bytes, double hbm_bandwidth) {
  Gpu gpu = sxm(name, title, help, hbm_bytes, hbm_bandwidth);
  gpu.constants = assumed_from(constants, "as A100 SXM, the same chip");
  return gpu;
}

}  // namespace

constinit const Gpu a100_sxm_40 =
    sxm("a100-sxm-40", "A100 SXM 40 GB",
        "NVIDIA A100 data sheet; constants measured on the 80 GB card", 40960 * mebi, 1.555 * tera);
constinit const Gpu a100_sxm_80 =
    sxm("a100-sxm-80", "A100 SXM 80 GB", "NVIDIA A100 data sheet", 81920 * mebi, 2.039 * tera);
constinit const Gpu a100_pcie_40 = relative(
    "a100-pcie-40", "A100 PCIe 40 GB", "NVIDIA A100 data sheet; 250 W", 40960 * mebi, 1.555 * tera);
constinit const Gpu a100_pcie_80 = relative(
    "a100-pcie-80", "A100 PCIe 80 GB",
    "NVIDIA A100 data sheet; 300 W; stas00/ml-engineering 744d01e1", 81920 * mebi, 1.94 * tera);
constinit const Gpu a800_sxm =
    relative("a800-sxm", "A800 SXM 80 GB", "citsjtu2020/LLM-Prof hardware_spec.md", 81920 * mebi,
             2.039 * tera);

}  // namespace dsim
