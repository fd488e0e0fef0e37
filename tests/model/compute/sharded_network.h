#pragma once
#include "model/compute/memory.h"

namespace dsim::test {

/// A network of equal blocks on one GPU of a job: blocks of 1e9 parameters that keep 1 GB, an
/// embedding and a head of 5e8 each.
struct ShardedNetwork {
  Model model;
  Gpu gpu{};
  MemoryRequest request;

  explicit ShardedNetwork(int blocks) {
    gpu.hbm_bytes = 80e9;
    add(LayerRole::embedding, 500'000'000, 0);
    for (int i = 0; i < blocks; ++i) add(LayerRole::block, 1'000'000'000, 1e9);
    add(LayerRole::head, 500'000'000, 0);
    model.name = "sharded";
    request.model = &model;
    request.gpu = &gpu;
    request.half_weights = true;
    request.optimizer = &optimizer_kind("adam");
  }
  ShardedNetwork(const ShardedNetwork&) = delete;
  ShardedNetwork& operator=(const ShardedNetwork&) = delete;

  TrainingOptions& training() { return request.training; }
  std::vector<MemoryFootprint> stages() const { return memory_by_stage(request); }
  MemoryFootprint one() const { return memory_footprint(request); }

  void add(LayerRole role, std::int64_t elements, double saved, bool expert = false) {
    Layer layer;
    layer.role = role;
    layer.saved_bytes = saved;
    layer.input_bytes = layer.output_bytes = saved / 10;
    layer.parameters.push_back(ParameterId(static_cast<std::uint32_t>(model.parameters.size())));
    model.parameters.push_back({"weight", {elements}, elements, elements, expert});
    model.layers.push_back(layer);
  }
};

}  // namespace dsim::test
