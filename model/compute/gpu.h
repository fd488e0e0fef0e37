#pragma once
#include <string_view>
#include <vector>

#include "model/calibration.h"
#include "model/workload/model.h"

namespace dsim {

enum class Architecture : std::uint8_t { volta, ampere, ada, hopper, blackwell };
std::string_view name_of(Architecture architecture);

/// The constants of the kernel-time models of one GPU (docs/compute.md has the formulas).
struct ComputeConstants {
  Constant gemm_floor;          ///< t0, s: fixed time of a GEMM kernel
  Constant gemm_efficiency;     ///< ec: fraction of peak of an infinite tile
  Constant gemm_memory;         ///< em: fraction of sheet bandwidth a GEMM reaches
  Constant gemm_tile;           ///< h: tile term q/(q+h)
  Constant gemm_depth;          ///< kr: depth term k/(k+kr)
  Constant throttle;            ///< factor on kernels of >= 1e12 FLOP
  Constant memory_efficiency;   ///< fraction of sheet bandwidth of a large elementwise kernel
  Constant kernel_floor;        ///< s: fixed time of a memory-bound kernel
  Constant kappa;               ///< derate of GEMM and attention in a training step
  Constant kappa_bytes;         ///< derate of memory-bound kernels in a training step
  Constant wgrad;               ///< factor on weight-gradient GEMMs
  Constant conv;                ///< factor on implicit GEMMs
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
  double hbm_bytes;             ///< capacity
  double hbm_bandwidth;         ///< sheet, B/s
  ComputeConstants constants;

  /// Dense peak at a precision; InputError if the chip has none.
  double peak(Precision precision) const;
};

/// Finds a GPU by name; InputError lists the known ones.
const Gpu& gpu_by_name(std::string_view name);
std::vector<const Gpu*> gpus();

/// What a kernel takes when it runs alone on all SMs, and what it loads meanwhile.
struct KernelTime {
  double seconds = 0;
  double sm_share = 1;          ///< fraction of the SMs it needs to keep that speed
  double hbm_bytes = 0;
};

KernelTime kernel_time(const Kernel& kernel, Precision precision, const Gpu& gpu,
                       const ComputeConstants& constants);

}  // namespace dsim
