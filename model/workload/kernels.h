#pragma once
#include <string>

#include "model/workload/model.h"

namespace dsim {

/// `batch` independent products of an m x k by a k x n matrix.
struct GemmSize {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  double flops() const;  ///< 2 m n k batch
};

/// A GEMM over operands of `operand_bytes` an element with results of `result_bytes`; HBM traffic
/// is each matrix once.
Kernel gemm_kernel(std::string name, Pass pass, const GemmSize& size, double operand_bytes,
                   double result_bytes);

/// Elementwise work bound by its HBM traffic. Backward kernels that make the gradient of an
/// activation are dgrad, those that make the gradient of a parameter wgrad.
Kernel memory_kernel(std::string name, Pass pass, double bytes, int launches = 1);

/// int64 products of shapes as double, for byte counts.
template <class... Sizes>
double product(Sizes... sizes) {
  return (1.0 * ... * static_cast<double>(sizes));
}

}  // namespace dsim
