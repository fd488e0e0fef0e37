#include "model/compute/gpu_rows.h"

namespace dsim {
namespace {

constexpr ComputeConstants constants{
    .gemm_floor = {2.18e-6, 0.10, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_efficiency = {0.99, 0.03, Level::fitted, gemm_fit, gemm_shapes},
    .simt_efficiency = simt_efficiency,
    .gemm_memory = {0.777, 0.06, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_tile = {30.1, 0.10, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_depth = {86.8, 0.15, Level::fitted, gemm_fit, gemm_shapes},
    .gemm_waves = {0.025, 0.5, Level::fitted, gemm_fit, gemm_shapes},
    .split_cost = {3.14e-6, 0.15, Level::fitted, gemm_fit, "split-K kernels"},
    .gemm_unaligned = gemm_unaligned,
    .gemm_misaligned = gemm_misaligned,
    .throttle = {1.0, 0.04, Level::fitted, gemm_fit, "long kernels"},
    .fp8_gain = {1.9, 0.15, Level::assumed, "as H100", "delayed scaling"},
    .fp8_gain_grouped = fp8_gain_grouped,
    .conv = conv_tensor,
    .conv_fp32 = conv_fp32,
    .winograd = winograd,
    .wgrad = {1.15, 0.08, Level::fitted,
              "MooreThreads/SimuMax 4dcaae5: 1.25 with fused fp32 accumulation", ""},
    .wgrad_accumulate = {1.25, 0.06, Level::fitted,
                         "MooreThreads/SimuMax 4dcaae5, B200 wgrad tables", ""},
    .attention = {1.0, 0.10, Level::measured,
                  "trtllm-gen, aiconfigurator 095f58a5 context_attention_perf", "causal, head 128"},
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.78, 0.07, Level::fitted, elementwise_fit, ">= 64 MB"},
    .memory_sms = memory_sms,
    .kernel_floor = {1.8e-6, 0.2, Level::measured, "aiconfigurator 095f58a5: shortest kernels", ""},
    .kappa = {1.12, 0.12, Level::fitted, step_fit,
              "B200 and GB200 of three sources 1.10-1.15; the one machine of MooreThreads/SimuMax, "
              "1.45, "
              "is not counted"},
    .kappa_bytes = {1.10, 0.08, Level::assumed, "as H100", ""},
    .memory_curve = {},
};

constexpr ComputeConstants relative = assumed_from(constants, "as B200, the same generation");

// B300 and GB300 have the tensor cores of B200 and GB200 and 1.1 to 1.4 kW for them: training steps
// are about 1.25 times as fast as on GB200 at equal settings (NVIDIA dgxc-benchmarking, several
// models), so their clock is held where the GEMM table of B200 is throttled.
constexpr ComputeConstants ultra = derated(
    relative, {0.90, 0.12, Level::published,
               "that of B200 over 1.25: GB300 and B300 against GB200 in NVIDIA dgxc-benchmarking",
               "GEMM structure of B200"});

}  // namespace

constinit const Gpu b200_sxm{.name = "b200-sxm",
                             .title = "B200 SXM 180 GB",
                             .help = "NVIDIA DGX B200 data sheet, dense peaks",
                             .architecture = Architecture::blackwell,
                             .sms = 148,
                             .fp32 = 80 * tera,
                             .tf32 = 1125 * tera,
                             .fp16 = 2250 * tera,
                             .bf16 = 2250 * tera,
                             .fp8 = 4500 * tera,
                             .hbm_bytes = 183359 * mebi,
                             .hbm_bandwidth = 8.0 * tera,
                             .constants = constants};
constinit const Gpu b300_sxm{
    .name = "b300-sxm",
    .title = "B300 SXM 288 GB",
    .help = "stas00/ml-engineering 744d01e1 compute/accelerator; CUDA-core peaks as B200",
    .architecture = Architecture::blackwell,
    .sms = 148,
    .fp32 = 80 * tera,
    .tf32 = 1125 * tera,
    .fp16 = 2250 * tera,
    .bf16 = 2250 * tera,
    .fp8 = 4500 * tera,
    .hbm_bytes = 275040 * mebi,
    .hbm_bandwidth = 8.0 * tera,
    .constants = ultra};

constinit const Gpu gb200{.name = "gb200",
                          .title = "GB200 186 GB",
                          .help =
                              "stas00/ml-engineering 744d01e1 compute/accelerator, per GPU; "
                              "sources say 148 or 152 SMs",
                          .architecture = Architecture::blackwell,
                          .sms = 152,
                          .fp32 = 80 * tera,
                          .tf32 = 1250 * tera,
                          .fp16 = 2500 * tera,
                          .bf16 = 2500 * tera,
                          .fp8 = 5000 * tera,
                          .hbm_bytes = 189471 * mebi,
                          .hbm_bandwidth = 8.0 * tera,
                          .constants = relative};

constinit const Gpu gb300{.name = "gb300",
                          .title = "GB300 288 GB",
                          .help =
                              "NVIDIA GB300 NVL72 data sheet, per GPU, dense peaks; CUDA-core "
                              "peaks as GB200",
                          .architecture = Architecture::blackwell,
                          .sms = 152,
                          .fp32 = 80 * tera,
                          .tf32 = 1250 * tera,
                          .fp16 = 2500 * tera,
                          .bf16 = 2500 * tera,
                          .fp8 = 5000 * tera,
                          .hbm_bytes = 275040 * mebi,
                          .hbm_bandwidth = 8.0 * tera,
                          .constants = ultra};

// NVIDIA gives 1 PFLOP/s of sparse fp4; dense 16-bit is an eighth of that.
constinit const Gpu gb10{.name = "gb10",
                         .title = "GB10 128 GB (DGX Spark)",
                         .help = "NVIDIA DGX Spark data sheet; peaks but fp4's are assumed",
                         .architecture = Architecture::blackwell,
                         .sms = 48,
                         .fp32 = 31 * tera,
                         .tf32 = 62.5 * tera,
                         .fp16 = 125 * tera,
                         .bf16 = 125 * tera,
                         .fp8 = 250 * tera,
                         .hbm_bytes = 122570 * mebi,
                         .hbm_bandwidth = 0.273 * tera,
                         .constants = relative};

}  // namespace dsim
