#pragma once
#include "model/compute/gpu.h"

namespace dsim {

/// The product of two matrices, `batch` times independently: C[m,n] = A[m,k] B[k,n].
struct GemmProblem {
  double m = 0, n = 0, k = 0, batch = 1;
  double element_bytes = 2;
  double bytes = 0;    ///< HBM bytes of the operands
  bool splits = true;  ///< the sum over k may be split; grouped GEMMs have no such kernels
};

/// Tensor- or CUDA-core rate of one GPU at one precision, as the tile model sees it.
struct GemmRate {
  double peak = 0;   ///< FLOP/s of an infinite tile
  double tile = 0;   ///< h at this rate
  double depth = 0;  ///< kr at this rate
};

/// Time of a GEMM on all SMs before derates, and its parts.
struct GemmTime {
  double seconds = 0;   ///< floor included
  double compute = 0;   ///< s, of the best tile and split
  double busy_sms = 1;  ///< mean fraction of the SMs with a tile to work on meanwhile
};

/// Rate at a precision; fp8 is the 16-bit rate times its gain, that of grouped GEMMs if `grouped`.
/// The tile and depth terms stand for operand traffic and pipeline fill, so they scale with FLOP
/// per operand byte.
GemmRate gemm_rate(Precision precision, const Gpu& gpu, const ComputeConstants& constants,
                   bool grouped = false);

/// By how much longer a tensor-core GEMM computes where rows of matrices begin off the boundaries
/// it likes: 16 bytes to use wide loads, 128 bytes on Ampere and later (NVIDIA
/// matrix-multiplication guide). `row` and `other_row` are the lengths of rows in bytes. 1 on CUDA
/// cores.
double alignment_factor(double row, double other_row, Precision precision,
                        const ComputeConstants& constants);

/// The tile/wave model (docs/compute.md): every tile and split is tried, the fastest is taken, as
/// the heuristics of cuBLAS do.
GemmTime gemm_time(const GemmProblem& problem, const GemmRate& rate, const Gpu& gpu,
                   const ComputeConstants& constants);

}  // namespace dsim
