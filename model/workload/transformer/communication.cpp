#include "model/workload/transformer/communication.h"

#include <utility>

namespace dsim {

Kernel communication_kernel(std::string name, Pass pass, CollectiveOp op, ParallelGroup group,
                            double bytes, int element_bytes, int hidden_behind) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.kind = KernelKind::communication;
  kernel.pass = pass;
  kernel.op = op;
  kernel.group = group;
  kernel.bytes = bytes;
  kernel.element_bytes = element_bytes;
  kernel.hidden_behind = hidden_behind;
  return kernel;
}

}  // namespace dsim
