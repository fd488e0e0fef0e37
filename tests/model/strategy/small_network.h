#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "model/workload/model.h"

namespace dsim {

/// A network written by hand: a layer owns tensors, runs one GEMM forward and two backward, and the
/// second one completes its gradients, last registered first.
struct SmallNetwork {
  Model model;

  SmallNetwork& layer(std::initializer_list<std::int64_t> tensors) {
    Layer layer;
    layer.name = "layer" + std::to_string(model.layers.size());
    layer.saved_bytes = 1e6;
    Kernel gemm;
    gemm.kind = KernelKind::gemm;
    gemm.name = "gemm";
    gemm.m = 4096, gemm.n = 1024, gemm.k = 1024;
    gemm.flops = 2.0 * 4096 * 1024 * 1024;
    gemm.bytes = 2.0 * (2 * 4096 * 1024 + 1024 * 1024);
    layer.forward.push_back(gemm);
    gemm.pass = Pass::dgrad;
    layer.backward.push_back(gemm);
    gemm.pass = Pass::wgrad;
    for (const std::int64_t elements : tensors) {
      gemm.completes.emplace(gemm.completes.begin(), model.parameters.size());
      model.parameters.push_back(
          {layer.name + "." + std::to_string(model.parameters.size()), {elements}, elements});
    }
    layer.backward.push_back(gemm);
    model.layers.push_back(layer);
    return *this;
  }
};

/// Six linear layers of 1024 x 1024 with bias: 4.2 MB each.
inline Model six_linear_layers() {
  SmallNetwork network;
  for (int i = 0; i < 6; ++i) network.layer({1024 * 1024, 1024});
  return network.model;
}

}  // namespace dsim
