#pragma once
#include <string_view>
#include <vector>

#include "model/calibration.h"
#include "model/compute/size_curve.h"
#include "model/workload/model.h"

namespace dsim {

enum class Architecture : std::uint8_t {
  kepler,
  pascal,
  volta,
  turing,
  ampere,
  ada,
  hopper,
  blackwell,
  cdna2,
  cdna3
};
std::string_view name_of(Architecture architecture);

/// The constants of the kernel-time models of one GPU (docs/compute.md has the formulas).
struct ComputeConstants {
  Constant gemm_floor;          ///< t0, s: fixed time of a GEMM kernel
  Constant gemm_efficiency;     ///< ec: fraction of peak of an infinite tile
  Constant simt_efficiency;     ///< ec of fp32 GEMMs on CUDA cores
  Constant gemm_memory;         ///< em: fraction of sheet bandwidth a GEMM reaches
  Constant gemm_tile;           ///< h: tile term q/(q+h), at the 16-bit tensor peak
  Constant gemm_depth;          ///< kr: depth term k/(k+kr), at the 16-bit tensor peak
  Constant gemm_waves;          ///< 1: time in whole waves; 0: persistent kernels, the last wave is hidden
  Constant split_cost;          ///< s: fixed time of the reduction of a split-K GEMM
  Constant gemm_unaligned;      ///< factor on tensor-core GEMMs whose rows do not begin at 16 bytes
  Constant gemm_misaligned;     ///< the same where they do, but not at cache lines (128 bytes)
  Constant throttle;            ///< factor on long kernels (from 3e12 FLOP of the peak)
  Constant fp8_gain;            ///< a 16-bit GEMM's time over that of the same GEMM in fp8
  Constant fp8_gain_grouped;    ///< the same of a grouped GEMM of experts
  Constant conv;                ///< factor on implicit GEMMs on tensor cores
  Constant conv_fp32;           ///< factor on implicit GEMMs on CUDA cores
  Constant winograd;            ///< an fp32 3x3 convolution's time over that of the same by Winograd
  Constant wgrad;               ///< factor on weight-gradient GEMMs
  Constant wgrad_accumulate;    ///< the same where they add into fp32 main gradients
  Constant attention;           ///< factor on the efficiency of fused attention (attention_curves.h)
  Constant attention_backward;  ///< backward efficiency over forward, long sequences
  Constant attention_narrow;    ///< factor on what heads of <= 64 reach of heads of 128
  Constant memory_efficiency;   ///< fraction of sheet bandwidth of a large elementwise kernel
  Constant memory_sms;          ///< fraction of the SMs that saturates HBM
  Constant kernel_floor;        ///< s: fixed time of a memory-bound kernel
  Constant kappa;               ///< derate of GEMM, convolution and attention in a training step
  Constant kappa_bytes;         ///< derate of memory-bound kernels in a training step
  SizeCurve memory_curve;       ///< bandwidth by bytes of one kernel, relative to a large one, floor removed

  void visit(const ConstantVisitor& visitor);
};

/// A row of the GPU table: data-sheet facts (dense peaks, FLOP/s) and the built-in constants.
struct Gpu {
  std::string_view name;        ///< "h100-sxm"
  std::string_view title;       ///< "H100 SXM 80 GB"
  std::string_view help;        ///< source of the row
  Architecture architecture;
  int sms;
  double fp32, tf32, fp16, bf16, fp8;   ///< peak FLOP/s; 0 = the chip has no such mode
  double hbm_bytes;             ///< capacity as the driver shows it
  double hbm_bandwidth;         ///< sheet, B/s
  ComputeConstants constants;

  /// Dense peak at a precision; InputError if the chip has none.
  double peak(Precision precision) const;
};

/// Finds a GPU by name or alias ("h100", "A100-SXM4-80GB"), whatever the case; InputError lists the
/// known ones.
const Gpu& gpu_by_name(std::string_view name);
std::vector<const Gpu*> gpus();

/// The constants of a GPU whose GEMM operands are scaled by this recipe: fp8_gain and
/// fp8_gain_grouped are the recipe's. InputError: nvfp4 before Blackwell.
ComputeConstants with_recipe(const Gpu& gpu, Fp8Recipe recipe);

/// What a kernel takes when it runs alone on all SMs, and what it loads meanwhile. The derates kappa
/// are in `seconds`.
struct KernelTime {
  double seconds = 0;
  double sm_share = 1;          ///< fraction of the SMs it needs to keep that speed
  double hbm_bytes = 0;
};

/// InputError if the GPU has no such precision.
KernelTime kernel_time(const Kernel& kernel, Precision precision, const Gpu& gpu,
                       const ComputeConstants& constants);

}  // namespace dsim
