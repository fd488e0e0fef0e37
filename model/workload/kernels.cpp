#include "model/workload/kernels.h"

namespace dsim {

double GemmShape::flops() const { return 2 * product(m, n, k, batch); }

Kernel gemm_kernel(std::string name, Pass pass, const GemmShape& shape, double operand_bytes,
                   double result_bytes) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.kind = KernelKind::gemm;
  kernel.pass = pass;
  kernel.m = shape.m;
  kernel.n = shape.n;
  kernel.k = shape.k;
  kernel.batch = shape.batch;
  kernel.flops = shape.flops();
  kernel.bytes =
      operand_bytes * product(shape.k, shape.batch) * (product(shape.m) + product(shape.n)) +
      result_bytes * product(shape.m, shape.n, shape.batch);
  return kernel;
}

Kernel memory_kernel(std::string name, Pass pass, double bytes, int launches) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.kind = KernelKind::memory;
  kernel.pass = pass;
  kernel.bytes = bytes;
  kernel.launches = launches;
  return kernel;
}

}  // namespace dsim
