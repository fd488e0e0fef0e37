#include "model/workload/blocks/loss.h"

#include <algorithm>
#include <utility>

#include "model/workload/kernels.h"

namespace dsim {
namespace {

// Bytes a logit. 16-bit logits in PyTorch: 20 forward (upcast, two reads and a write of
// log-softmax, nll) and 14 backward, fitted to llm-foundry training rates; fp32 counts the same
// kernels without the casts; torch.compile fuses them to 8-10 each way.
struct LossBytes {
  double forward, backward;
  int launches;
};
LossBytes loss_bytes(Fusion fusion, double activation_bytes) {
  if (fusion == Fusion::compile) return {9, 9, 2};
  if (activation_bytes < 4) return {20, 14, 3};
  return {12, 16, 2};
}

}  // namespace

void append_cross_entropy(ModelBuilder& builder, const std::string& label, std::int64_t rows,
                          std::int64_t classes) {
  const double logits = product(rows, classes);
  const double e = builder.activation_bytes();
  const LossBytes bytes = loss_bytes(builder.fusion(), e);
  Operation operation;
  operation.forward = {memory_kernel(label, Pass::forward, bytes.forward * logits, bytes.launches)};
  operation.backward = {
      memory_kernel(label + ".backward", Pass::dgrad, bytes.backward * logits, bytes.launches)};
  operation.saved_bytes = (e + 4) * logits;
  builder.append(std::move(operation));
  Model& model = builder.model();
  model.workspace_bytes = std::max(model.workspace_bytes, (e + 4) * logits);
}

}  // namespace dsim
