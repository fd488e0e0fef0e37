#include "model/compute/gpu_rows.h"

// Ampere chips with GDDR6: GA102. Their tensor cores are half as wide an SM as A100's.
namespace dsim {
namespace {

// Sources disagree on the tensor peak of A10G: 70 (cli99/llm-analysis d841e40) or the 125 of the
// A10 sheet.
constexpr std::string_view why = "as A100, the same generation; never measured";

constexpr ComputeConstants constants{
    .gemm_floor = {3.2e-6, 0.2, Level::assumed, why, ""},
    .gemm_efficiency = {0.95, 0.15, Level::assumed, why, ""},
    .simt_efficiency = {0.80, 0.15, Level::assumed,
                        "half of the fp32 lanes share their port with integers (NVIDIA GA102 "
                        "whitepaper)",
                        ""},
    .gemm_memory = {0.80, 0.15, Level::assumed, "GDDR6, between A100 and L40S", ""},
    .gemm_tile = {6, 0.3, Level::assumed, "half of A100: an SM half as fast", ""},
    .gemm_depth = {189, 0.2, Level::assumed, why, ""},
    .gemm_waves = whole_waves,
    .split_cost = {1.6e-6, 0.2, Level::assumed, why, ""},
    .gemm_unaligned = gemm_unaligned,
    .gemm_misaligned = gemm_misaligned,
    .throttle = {1.0, 0.05, Level::assumed, why, "long kernels"},
    .fp8_gain = no_fp8,
    .fp8_gain_grouped = no_fp8,
    .conv = conv_tensor,
    .conv_fp32 = conv_fp32,
    .winograd = winograd,
    .wgrad = wgrad,
    .wgrad_accumulate = wgrad_accumulate,
    .attention = {1.0, 0.20, Level::assumed, why, ""},
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.85, 0.10, Level::assumed, why, ">= 64 MB"},
    .memory_sms = memory_sms,
    .kernel_floor = {2.5e-6, 0.2, Level::assumed, why, ""},
    .kappa = {1.15, 0.15, Level::assumed, "300 W and more: as L40S", ""},
    .kappa_bytes = {1.10, 0.10, Level::assumed, why, ""},
    .memory_curve = {},
};

constexpr ComputeConstants at_150_watts =
    derated(constants, {1.35, 0.2, Level::assumed,
                        "A10: the clock of the sheet does not last at 150 W, nor at 300 W a board "
                        "of A10G in a rack; 70 of 125 TFLOP/s to be had (cli99/llm-analysis)",
                        ""});

constexpr Gpu ga102(std::string_view name, std::string_view title, std::string_view help, int sms,
                    double fp32, double tensor, double hbm_bytes, double hbm_bandwidth,
                    const ComputeConstants& compute) {
  return {.name = name,
          .title = title,
          .help = help,
          .architecture = Architecture::ampere,
          .sms = sms,
          .fp32 = fp32,
          .tf32 = tensor / 2,
          .fp16 = tensor,
          .bf16 = tensor,
          .fp8 = 0,
          .hbm_bytes = hbm_bytes,
          .hbm_bandwidth = hbm_bandwidth,
          .constants = compute};
}

}  // namespace

constinit const Gpu a10 = ga102("a10", "A10 24 GB", "NVIDIA A10 data sheet, dense peaks; 150 W", 72,
                                31.2 * tera, 125 * tera, 23028 * mebi, 0.60 * tera, at_150_watts);
constinit const Gpu a10g =
    ga102("a10g", "A10G 24 GB",
          "cli99/llm-analysis d841e40 gpu_configs (the A10 sheet says 125 TFLOP/s); fp32 peak "
          "assumed",
          80, 31 * tera, 70 * tera, 23028 * mebi, 0.60 * tera, constants);
constinit const Gpu a40 = ga102("a40", "A40 48 GB", "NVIDIA A40 data sheet, dense peaks; 300 W", 84,
                                37.4 * tera, 149.7 * tera, 46068 * mebi, 0.696 * tera, constants);
constinit const Gpu rtx_a6000 =
    ga102("rtx-a6000", "RTX A6000 48 GB", "NVIDIA RTX A6000 data sheet, dense peaks; 300 W", 84,
          38.7 * tera, 154.8 * tera, 49140 * mebi, 0.768 * tera, constants);
constinit const Gpu rtx_3090 =
    ga102("rtx-3090", "GeForce RTX 3090 24 GB", "NVIDIA GA102 whitepaper, fp32 accumulation; 350 W",
          82, 35.6 * tera, 71 * tera, 24576 * mebi, 0.936 * tera, constants);

}  // namespace dsim
