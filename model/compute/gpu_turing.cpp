#include "model/compute/gpu_rows.h"

namespace dsim {
namespace {

constexpr std::string_view guess = "as V100; no Turing card was measured";

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
                  "FlashAttention-1 as on A100; Turing has no FlashAttention-2", ""},
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.87, 0.05, Level::assumed, "as H100", ">= 64 MB"},
    .memory_sms = memory_sms,
    .kernel_floor = {2.5e-6, 0.3, Level::assumed, "as A100", ""},
    .kappa = {1.05, 0.2, Level::assumed, guess, ""},
    .kappa_bytes = {1.0, 0.15, Level::assumed, guess, ""},
    .memory_curve = ampere_memory_curve,
};

}  // namespace

constinit const Gpu t4{
    .name = "t4",
    .title = "T4 16 GB",
    .help = "NVIDIA T4 data sheet; 70 W, boost clocks do not last",
    .architecture = Architecture::turing,
    .sms = 40,
    .fp32 = 8.1 * tera,
    .tf32 = 0,
    .fp16 = 65 * tera,
    .bf16 = 0,
    .fp8 = 0,
    .hbm_bytes = 15360 * mebi,
    .hbm_bandwidth = 0.32 * tera,
    .constants = derated(
        constants, {1.35, 0.25, Level::assumed, "70 W do not hold the clock of the sheet", ""})};
constinit const Gpu rtx_2080_ti{.name = "rtx-2080-ti",
                                .title = "GeForce RTX 2080 Ti 11 GB",
                                .help = "NVIDIA Turing whitepaper, fp32 accumulation",
                                .architecture = Architecture::turing,
                                .sms = 68,
                                .fp32 = 13.45 * tera,
                                .tf32 = 0,
                                .fp16 = 53.8 * tera,
                                .bf16 = 0,
                                .fp8 = 0,
                                .hbm_bytes = 11264 * mebi,
                                .hbm_bandwidth = 0.616 * tera,
                                .constants = constants};

}  // namespace dsim
