#include "model/compute/gpu_rows.h"

namespace dsim {
namespace {

// The GEMM fit has a throttle of 1.04 (H100) and 1.05 (H200) on long kernels; the kappa of
// training steps holds the sustained clock already, so it is 1 here and in the steps kappa was
// fitted with.
constexpr Constant throttle{1.0, 0.04, Level::fitted,
                            "held in kappa; timing loops alone: 1.04 (H100), 1.05 (H200)",
                            "long kernels"};
constexpr Constant tile{0.5, 0.5, Level::fitted, gemm_fit,
                        "the fit ends at the bound 0.5: tiles cost nothing"};
constexpr Constant attention{
    1.0, 0.08, Level::measured,
    "arXiv 2407.08608 and pytorch/benchmark pull request 2391, which agree "
    "within 8 %; aiconfigurator 095f58a5 (attention_curves.cpp)",
    "FlashAttention-3, causal, heads of 128"};
constexpr Constant fp8_gain{1.9, 0.08, Level::fitted,
                            "NVIDIA dgxc-benchmarking FP8 step times, delayed scaling",
                            "not for dynamic scaling: about 1.3 to 1.5 there"};
constexpr Constant kappa_bytes{1.10, 0.05, Level::fitted, step_fit, ""};

constexpr ComputeConstants h100_constants{
    .gemm_floor = {2.55e-6, 0.10, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_efficiency = {0.871, 0.03, Level::fitted, gemm_fit, gemm_shapes},
    .simt_efficiency = simt_efficiency,
    .gemm_memory = {0.872, 0.05, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_tile = tile,
    .gemm_depth = {193, 0.10, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_waves = {0.24, 0.3, Level::fitted, gemm_fit, gemm_shapes},
    .split_cost = {2.33e-6, 0.1, Level::fitted, gemm_fit, "split-K kernels"},
    .gemm_unaligned = gemm_unaligned,
    .gemm_misaligned = gemm_misaligned,
    .throttle = throttle,
    .fp8_gain = fp8_gain,
    .fp8_gain_grouped = fp8_gain_grouped,
    .conv = conv_tensor,
    .conv_fp32 = conv_fp32,
    .winograd = winograd,
    .wgrad = wgrad,
    .wgrad_accumulate = wgrad_accumulate,
    .attention = attention,
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.87, 0.05, Level::fitted, elementwise_fit, ">= 64 MB"},
    .memory_sms = memory_sms,
    .kernel_floor = {2.5e-6, 0.2, Level::measured, "aiconfigurator 095f58a5: shortest kernels", ""},
    .kappa = {1.20, 0.07, Level::fitted, step_fit,
              "700 W; NeMo 1.10-1.15, FSDP on PyTorch 2.1 1.25"},
    .kappa_bytes = kappa_bytes,
    .memory_curve = {},
};

constexpr ComputeConstants h200_constants{
    .gemm_floor = {2.61e-6, 0.10, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_efficiency = {0.866, 0.03, Level::fitted, gemm_fit, gemm_shapes},
    .simt_efficiency = simt_efficiency,
    .gemm_memory = {0.822, 0.05, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_tile = tile,
    .gemm_depth = {169, 0.10, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_waves = {0.135, 0.4, Level::fitted, gemm_fit, gemm_shapes},
    .split_cost = {2.48e-6, 0.1, Level::fitted, gemm_fit, "split-K kernels"},
    .gemm_unaligned = gemm_unaligned,
    .gemm_misaligned = gemm_misaligned,
    .throttle = throttle,
    .fp8_gain = fp8_gain,
    .fp8_gain_grouped = fp8_gain_grouped,
    .conv = conv_tensor,
    .conv_fp32 = conv_fp32,
    .winograd = winograd,
    .wgrad = wgrad,
    .wgrad_accumulate = wgrad_accumulate,
    .attention = attention,
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.85, 0.06, Level::fitted, elementwise_fit, ">= 64 MB"},
    .memory_sms = memory_sms,
    .kernel_floor = {2.2e-6, 0.2, Level::measured, "aiconfigurator 095f58a5: shortest kernels", ""},
    .kappa = {1.20, 0.10, Level::assumed, "as H100, the same chip and power", "700 W"},
    .kappa_bytes = kappa_bytes,
    .memory_curve = {},
};

constexpr Gpu sxm(std::string_view name, std::string_view title, std::string_view help,
                  double hbm_bytes, double hbm_bandwidth, const ComputeConstants& constants) {
  return {.name = name,
          .title = title,
          .help = help,
          .architecture = Architecture::hopper,
          .sms = 132,
          .fp32 = 67 * tera,
          .tf32 = 494.5 * tera,
          .fp16 = 989.4 * tera,
          .bf16 = 989.4 * tera,
          .fp8 = 1979 * tera,
          .hbm_bytes = hbm_bytes,
          .hbm_bandwidth = hbm_bandwidth,
          .constants = constants};
}

constexpr ComputeConstants relative = assumed_from(h100_constants, "as H100 SXM, the same chip");

}  // namespace

constinit const Gpu h100_sxm =
    sxm("h100-sxm", "H100 SXM 80 GB", "NVIDIA H100 data sheet, dense peaks", 81559 * mebi,
        3.35 * tera, h100_constants);
// GPUs of the torchtitan benchmarks (docs of pytorch/torchtitan b5bcd76c): H100 with HBM2e of 96 GB
// and 500 W. No sheet of it is public.
constinit const Gpu h100_sxm_96 = sxm(
    "h100-sxm-96", "H100 SXM 96 GB, HBM2e, 500 W",
    "pytorch/torchtitan b5bcd76c benchmarks; bandwidth 2.4 TB/s, peaks as H100 SXM", 97871 * mebi,
    2.4 * tera,
    derated(relative, {1.45, 0.12, Level::assumed,
                       "power-capped parts take 1.3-1.5; two torchtitan rows alone would say 1.55",
                       "500 W"}));
constinit const Gpu h200_sxm =
    sxm("h200-sxm", "H200 SXM 141 GB", "NVIDIA H200 data sheet, dense peaks", 143771 * mebi,
        4.8 * tera, h200_constants);
constinit const Gpu h800_sxm =
    sxm("h800-sxm", "H800 SXM 80 GB", "citsjtu2020/LLM-Prof hardware_spec.md: H100 with 8 NVLinks",
        81559 * mebi, 3.35 * tera, relative);
constinit const Gpu gh200 =
    sxm("gh200", "GH200 96 GB", "NVIDIA GH200 data sheet: H100 with HBM3 of 4 TB/s, dense peaks",
        97871 * mebi, 4.0 * tera, relative);

constinit const Gpu h100_pcie{.name = "h100-pcie",
                              .title = "H100 PCIe 80 GB",
                              .help = "NVIDIA H100 data sheet, dense peaks; 350 W",
                              .architecture = Architecture::hopper,
                              .sms = 114,
                              .fp32 = 51 * tera,
                              .tf32 = 378 * tera,
                              .fp16 = 756 * tera,
                              .bf16 = 756 * tera,
                              .fp8 = 1513 * tera,
                              .hbm_bytes = 81559 * mebi,
                              .hbm_bandwidth = 2.0 * tera,
                              .constants = relative};
constinit const Gpu h100_nvl{.name = "h100-nvl",
                             .title = "H100 NVL 94 GB",
                             .help = "NVIDIA H100 NVL data sheet, dense peaks; 400 W",
                             .architecture = Architecture::hopper,
                             .sms = 132,
                             .fp32 = 60 * tera,
                             .tf32 = 418 * tera,
                             .fp16 = 835 * tera,
                             .bf16 = 835 * tera,
                             .fp8 = 1671 * tera,
                             .hbm_bytes = 95830 * mebi,
                             .hbm_bandwidth = 3.9 * tera,
                             .constants = relative};
constinit const Gpu h20_sxm{
    .name = "h20-sxm",
    .title = "H20 SXM 96 GB",
    .help = "citsjtu2020/LLM-Prof hardware_spec.md; 78 SMs and fp32 peaks assumed",
    .architecture = Architecture::hopper,
    .sms = 78,
    .fp32 = 44 * tera,
    .tf32 = 74 * tera,
    .fp16 = 148 * tera,
    .bf16 = 148 * tera,
    .fp8 = 296 * tera,
    .hbm_bytes = 97871 * mebi,
    .hbm_bandwidth = 4.0 * tera,
    .constants = relative};
constinit const Gpu h20_sxm_141 = [] {
  Gpu gpu = h20_sxm;
  gpu.name = "h20-sxm-141";
  gpu.title = "H20 SXM 141 GB";
  gpu.hbm_bytes = 143771 * mebi;
  gpu.hbm_bandwidth = 4.8 * tera;
  return gpu;
}();

}  // namespace dsim
