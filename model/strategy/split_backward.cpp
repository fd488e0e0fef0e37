#include "model/strategy/split_backward.h"

namespace dsim {

namespace {

bool makes_weight_gradient(const Kernel& kernel) {
  return kernel.kind != KernelKind::communication && kernel.pass == Pass::wgrad;
}

}  // namespace

std::vector<Kernel> input_gradient_kernels(const Layer& layer) {
  std::vector<Kernel> result;
  const std::vector<Kernel>& all = layer.backward;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (makes_weight_gradient(all[i])) continue;
    result.push_back(all[i]);
    if (all[i].kind != KernelKind::communication) continue;
    int passed = 0, kept = 0;
    for (std::size_t next = i + 1; next < all.size() && passed < all[i].hidden_behind; ++next) {
      if (all[next].kind == KernelKind::communication) continue;
      ++passed;
      kept += !makes_weight_gradient(all[next]);
    }
    result.back().hidden_behind = kept;
  }
  return result;
}

std::vector<Kernel> weight_gradient_kernels(const Layer& layer) {
  std::vector<Kernel> result;
  for (const Kernel& kernel : layer.backward)
    if (makes_weight_gradient(kernel)) result.push_back(kernel);
  return result;
}

}  // namespace dsim
