#include "model/workload/kernels.h"

namespace dsim {

double GemmSize::flops() const { return 2 * product(m, n, k, batch); }

Kernel gemm_kernel(std::string name, Pass pass, const GemmSize& size, double operand_bytes,
                   double result_bytes) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.kind = KernelKind::gemm;
  kernel.pass = pass;
  kernel.m = size.m;
  kernel.n = size.n;
  kernel.k = size.k;
  kernel.batch = size.batch;
  kernel.flops = size.flops();
  kernel.bytes =
      operand_bytes * product(size.k, size.batch) * (product(size.m) + product(size.n)) +
      result_bytes * product(size.m, size.n, size.batch);
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
