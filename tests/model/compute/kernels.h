#pragma once
#include "model/compute/gpu.h"

// Kernels and constants the compute tests share.
namespace dsim::testing {

/// A GEMM whose operands are read and whose result is written once.
inline Kernel gemm(std::int64_t m, std::int64_t n, std::int64_t k, double element = 2,
                   std::int64_t batch = 1) {
  const auto x = static_cast<double>(m), y = static_cast<double>(n), z = static_cast<double>(k),
             b = static_cast<double>(batch);
  Kernel kernel;
  kernel.kind = KernelKind::gemm;
  kernel.m = m;
  kernel.n = n;
  kernel.k = k;
  kernel.batch = batch;
  kernel.flops = 2 * x * y * z * b;
  kernel.bytes = element * (x * z + z * y + x * y) * b;
  return kernel;
}

inline Kernel bytes(double count, int launches = 1) {
  Kernel kernel;
  kernel.kind = KernelKind::memory;
  kernel.bytes = count;
  kernel.launches = launches;
  return kernel;
}

/// Fused attention of `batch` x heads sequences; the FLOPs of the causal half if `causal`.
inline Kernel attention(std::int64_t heads, std::int64_t sequence, std::int64_t head, bool causal,
                        Pass pass) {
  const auto s = static_cast<double>(sequence);
  const double products = pass == Pass::forward ? 4 : 10;
  Kernel kernel;
  kernel.kind = KernelKind::attention;
  kernel.pass = pass;
  kernel.batch = heads;
  kernel.k = sequence;
  kernel.n = head;
  kernel.causal = causal;
  kernel.flops = products * static_cast<double>(heads) * s * s * static_cast<double>(head) *
                 (causal ? 0.5 : 1);
  kernel.bytes = 8 * static_cast<double>(heads) * s * static_cast<double>(head);
  return kernel;
}

/// The constants of a GPU as a timing loop sees them: without the derates of a training step.
inline ComputeConstants alone(const Gpu& gpu) {
  ComputeConstants constants = gpu.constants;
  constants.kappa.value = 1;
  constants.kappa_bytes.value = 1;
  return constants;
}

}  // namespace dsim::testing
