// Activation recomputation, for any network: a layer whose forward pass runs again in backward.
#include <algorithm>

#include "model/workload/model.h"

namespace dsim {
namespace {

/// Puts the forward kernels that `again` says at the head of the backward list.
template <class Again>
void repeat_forward(Layer& layer, Again again) {
  std::vector<Kernel> backward;
  for (const Kernel& kernel : layer.forward)
    if (again(kernel)) backward.push_back(kernel);
  for (Kernel& kernel : backward) kernel.name += " again";
  backward.insert(backward.end(), layer.backward.begin(), layer.backward.end());
  layer.backward = std::move(backward);
}

}  // namespace

void apply_recompute(Model& model, Recompute recompute, int every) {
  if (recompute == Recompute::none) return;
  int block = 0;
  for (Layer& layer : model.layers) {
    if (layer.role != LayerRole::block) continue;
    const bool whole = recompute == Recompute::full ||
                       (recompute == Recompute::every_nth && block % std::max(1, every) == 0);
    ++block;
    if (whole) {
      repeat_forward(layer, [](const Kernel&) { return true; });
      model.recompute_bytes = std::max(model.recompute_bytes, layer.saved_bytes);
      layer.saved_bytes = std::min(layer.saved_bytes, layer.input_bytes);
      layer.core_attention_bytes = 0;
    } else if (recompute == Recompute::selective) {
      repeat_forward(layer, [](const Kernel& kernel) { return kernel.core_attention; });
      model.recompute_bytes = std::max(model.recompute_bytes, layer.core_attention_bytes);
      layer.saved_bytes -= layer.core_attention_bytes;
      layer.core_attention_bytes = 0;
    }
  }
}

}  // namespace dsim
