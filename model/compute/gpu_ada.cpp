#include "model/compute/gpu_rows.h"

namespace dsim {
namespace {

constexpr std::string_view l40s_fit =
    "fit of an earlier form of the model to aiconfigurator 095f58a5 gemm_perf (L40S, bf16)";
constexpr std::string_view cache = "its 96 MB L2 is not modelled";

constexpr ComputeConstants constants{
    .gemm_floor = {1.04e-6, 0.3, Level::fitted, l40s_fit, gemm_shapes},
    .gemm_efficiency = {0.807, 0.08, Level::fitted, l40s_fit, gemm_shapes},
    .simt_efficiency = simt_efficiency,
    .gemm_memory = {0.835, 0.12, Level::fitted, l40s_fit, cache},
    .gemm_tile = {1.3, 0.5, Level::fitted, l40s_fit, gemm_shapes},
    .gemm_depth = {154, 0.3, Level::fitted, l40s_fit, gemm_shapes},
    .gemm_waves = whole_waves,
    .split_cost = {1.6e-6, 0.3, Level::assumed, "as A100", ""},
    .gemm_unaligned = gemm_unaligned,
    .gemm_misaligned = gemm_misaligned,
    .throttle = {1.0, 0.05, Level::fitted, l40s_fit, "long kernels"},
    .fp8_gain = {1.9, 0.15, Level::assumed, "as H100", "delayed scaling"},
    .fp8_gain_grouped = fp8_gain_grouped,
    .conv = conv_tensor,
    .conv_fp32 = conv_fp32,
    .winograd = winograd,
    .wgrad = wgrad,
    .wgrad_accumulate = wgrad_accumulate,
    .attention = {1.0, 0.20, Level::assumed, "FlashAttention-2 as on A100", "causal, head 128"},
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.85, 0.10, Level::assumed, "as A100", cache},
    .memory_sms = memory_sms,
    .kernel_floor = {2e-6, 0.3, Level::assumed, "between A100 and B200", ""},
    .kappa = {1.15, 0.12, Level::assumed, "no training steps on this card known; 350 W is in ec",
              ""},
    .kappa_bytes = {1.10, 0.08, Level::assumed, "as A100", ""},
    .memory_curve = {},
};

}  // namespace

constinit const Gpu l4{.name = "l4",
                       .title = "L4 24 GB",
                       .help = "NVIDIA L4 data sheet, dense peaks; 72 W",
                       .architecture = Architecture::ada,
                       .sms = 58,
                       .fp32 = 30.3 * tera,
                       .tf32 = 60 * tera,
                       .fp16 = 121 * tera,
                       .bf16 = 121 * tera,
                       .fp8 = 242.5 * tera,
                       .hbm_bytes = 23034 * mebi,
                       .hbm_bandwidth = 0.30 * tera,
                       .constants = derated(assumed_from(constants, "as L40S, the same generation"),
                                            {1.5, 0.25, Level::assumed,
                                             "72 W do not hold the clock of the sheet", ""})};
constinit const Gpu l40s{.name = "l40s",
                         .title = "L40S 48 GB",
                         .help = "NVIDIA L40S data sheet, dense peaks",
                         .architecture = Architecture::ada,
                         .sms = 142,
                         .fp32 = 91.6 * tera,
                         .tf32 = 183 * tera,
                         .fp16 = 362 * tera,
                         .bf16 = 362 * tera,
                         .fp8 = 733 * tera,
                         .hbm_bytes = 46068 * mebi,
                         .hbm_bandwidth = 0.864 * tera,
                         .constants = constants};
constinit const Gpu rtx_4090{
    .name = "rtx-4090",
    .title = "GeForce RTX 4090 24 GB",
    .help =
        "NVIDIA data sheet, fp32 accumulation; 165.6 TFLOP/s and 0.92 TB/s seen "
        "(krrishnarraj/clpeak issue 106)",
    .architecture = Architecture::ada,
    .sms = 128,
    .fp32 = 82.6 * tera,
    .tf32 = 82.6 * tera,
    .fp16 = 165.2 * tera,
    .bf16 = 165.2 * tera,
    .fp8 = 330 * tera,
    .hbm_bytes = 24564 * mebi,
    .hbm_bandwidth = 1.008 * tera,
    .constants = assumed_from(constants, "as L40S, the same generation")};

}  // namespace dsim
