#pragma once
#include "model/compute/gpu.h"

// The rows of the GPU table, one file an architecture, and what their constants share.
namespace dsim {

#define DSIM_GPUS(X) \
  X(k80)             \
  X(p100_sxm2)       \
  X(p100_pcie)       \
  X(v100_sxm2_16)    \
  X(v100_sxm2_32)    \
  X(v100_pcie)       \
  X(t4)              \
  X(rtx_2080_ti)     \
  X(a100_sxm_40)     \
  X(a100_sxm_80)     \
  X(a100_pcie_40)    \
  X(a100_pcie_80)    \
  X(a800_sxm)        \
  X(a10)             \
  X(a10g)            \
  X(a40)             \
  X(rtx_a6000)       \
  X(rtx_3090)        \
  X(l4)              \
  X(l40s)            \
  X(rtx_4090)        \
  X(h100_sxm)        \
  X(h100_sxm_96)     \
  X(h100_pcie)       \
  X(h100_nvl)        \
  X(h200_sxm)        \
  X(h800_sxm)        \
  X(h20_sxm)         \
  X(h20_sxm_141)     \
  X(gh200)           \
  X(b200_sxm)        \
  X(b300_sxm)        \
  X(gb200)           \
  X(gb300)           \
  X(gb10)            \
  X(mi250x_gcd)      \
  X(mi300a)          \
  X(mi300x)          \
  X(mi325x)

#define DSIM_DECLARE_GPU(row) extern const Gpu row;
DSIM_GPUS(DSIM_DECLARE_GPU)
#undef DSIM_DECLARE_GPU

inline constexpr double tera = 1e12;
inline constexpr double mebi = 1024.0 * 1024.0;

// Citations used by several rows.
inline constexpr std::string_view gemm_fit =
    "fit to half of 1,500 shapes of ai-dynamo/aiconfigurator 095f58a5 gemm_perf (bf16, forward "
    "layout), the other half held out";
inline constexpr std::string_view gemm_shapes = "bf16, all dimensions >= 64";
inline constexpr std::string_view step_fit =
    "published step times of known stacks on this GPU against this model (docs/compute.md)";

inline constexpr std::string_view elementwise_fit =
    "large memory-bound kernels, aiconfigurator 095f58a5, and device copies in "
    "stas00/ml-engineering "
    "744d01e1";

// Constants for which no GPU has a value of its own.
inline constexpr Constant simt_efficiency{
    0.96, 0.05, Level::fitted, "48 fp32 GEMMs of baidu-research/DeepBench DeepBench_NV_V100",
    "V100; assumed on later chips"};
inline constexpr Constant whole_waves{1.0, 0.2, Level::assumed,
                                      "time in whole waves, as tiles are scheduled", ""};
inline constexpr Constant no_fp8{1.0, 0, Level::published, "the chip has no fp8", ""};
inline constexpr Constant conv_tensor{1.0, 0.15, Level::assumed,
                                      "as a GEMM of the same shape; channels-last", ""};
inline constexpr Constant conv_fp32{1.0, 0.15, Level::published,
                                    "baidu-research/DeepBench V100 fp32: .49-.64 of peak, 3x3 and "
                                    "5x5 with Winograd or FFT up to 1.08",
                                    ""};
// GEMMs of this model reach .9 of the fp32 peak, so 1.2 at most is left for Winograd on V100.
inline constexpr Constant winograd{
    1.15, 0.15, Level::published,
    "baidu-research/DeepBench V100 fp32: 3x3 with Winograd at most 1.08 of peak; less on small maps",
    "fp32, 3x3, stride 1, one group; Volta, assumed on later chips"};
// The guide gives no figure. Karpathy reports 25 % of a nanoGPT step from padding the vocabulary
// (50257 to 50304): its head, a third of the FLOPs, becomes 1.8 to 2 times as fast.
inline constexpr Constant gemm_unaligned{
    1.9, 0.3, Level::published,
    "NVIDIA matrix-multiplication guide: rows at multiples of 16 bytes; nanoGPT 50257 to 50304",
    "tensor cores"};
inline constexpr Constant gemm_misaligned{
    1.25, 0.15, Level::assumed,
    "NVIDIA matrix-multiplication guide: rows at multiples of 128 bytes from A100 on, no figure",
    "tensor cores, Ampere and later"};
inline constexpr Constant no_line_alignment{
    1.0, 0, Level::published, "NVIDIA matrix-multiplication guide: 16 bytes suffice", ""};
inline constexpr Constant fp8_gain_grouped{
    1.45, 0.1, Level::published, "MoE training steps in fp8: grouped GEMMs gain at most 1.4-1.5",
    "delayed scaling"};
inline constexpr Constant wgrad_accumulate{
    1.20, 0.05, Level::published,
    "MooreThreads/SimuMax 4dcaae5 configs/system: 1.15-1.25 with fused fp32 accumulation", ""};
inline constexpr Constant wgrad{1.10, 0.05, Level::published,
                                "MooreThreads/SimuMax 4dcaae5 configs/system, A100 wgrad tables",
                                "1.15-1.25 with fused fp32 accumulation"};
inline constexpr Constant attention_backward{0.868, 0.05, Level::published,
                                             "FlashAttention-3, arXiv 2407.08608: FA2 .87, FA3 .87",
                                             "from 8k; less where sequences are short"};
inline constexpr Constant attention_narrow{
    1.0, 0.08, Level::published, "the kernel's own factor (model/compute/attention_curves.cpp)",
    "heads of 64 and less"};
inline constexpr Constant memory_sms{0.5, 0.3, Level::assumed,
                                     "half of the SMs keep enough loads in flight to fill HBM", ""};

/// The constants of a chip that nobody measured: those of its nearest relative, each assumed and at
/// least 15 % uncertain.
constexpr ComputeConstants assumed_from(ComputeConstants constants, std::string_view why) {
  using C = ComputeConstants;
  for (const auto member : {&C::gemm_floor,
                            &C::gemm_efficiency,
                            &C::simt_efficiency,
                            &C::gemm_memory,
                            &C::gemm_tile,
                            &C::gemm_depth,
                            &C::gemm_waves,
                            &C::split_cost,
                            &C::gemm_unaligned,
                            &C::gemm_misaligned,
                            &C::throttle,
                            &C::fp8_gain,
                            &C::fp8_gain_grouped,
                            &C::conv,
                            &C::conv_fp32,
                            &C::winograd,
                            &C::wgrad,
                            &C::wgrad_accumulate,
                            &C::attention,
                            &C::attention_backward,
                            &C::attention_narrow,
                            &C::memory_efficiency,
                            &C::memory_sms,
                            &C::kernel_floor,
                            &C::kappa,
                            &C::kappa_bytes}) {
    Constant& constant = constants.*member;
    constant.level = Level::assumed;
    constant.source = why;
    if (constant.value > 0 && constant.sigma > 0 && constant.sigma < 0.15) constant.sigma = 0.15;
  }
  return constants;
}

/// The same with other derates of a training step.
constexpr ComputeConstants derated(ComputeConstants constants, Constant kappa) {
  constants.kappa = kappa;
  return constants;
}

/// Bandwidth of A100 kernels of 1 to 64 MB over that of larger ones, the floor of 2.5 us taken out
/// (medians of memory-bound kernels, aiconfigurator 095f58a5). On H100, H200 and B200 the same
/// reading is flat: the floor explains their fall-off.
inline constexpr SizeCurve ampere_memory_curve{1e6, 2.2974, {0.90, 0.91, 0.94, 0.97, 0.99, 1.0}};

}  // namespace dsim
