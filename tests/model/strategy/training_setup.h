#pragma once
#include <numeric>

#include "model/strategy/shared_calls.h"
#include "model/strategy/step_writer.h"
#include "model/strategy/training.h"
#include "tests/model/strategy/small_network.h"

namespace dsim {

/// A communication of `bytes` inside a layer.
inline Kernel communication_kernel(CollectiveOp op, ParallelGroup group, double bytes,
                                   int hidden_behind = 0) {
  Kernel kernel;
  kernel.name = "exchange";
  kernel.kind = KernelKind::communication;
  kernel.op = op;
  kernel.group = group;
  kernel.bytes = bytes;
  kernel.hidden_behind = hidden_behind;
  return kernel;
}

/// `blocks` equal blocks between an embedding and a head. With tensor parallel ranks each block
/// holds two all-reduces of `exchanged` bytes forward and two backward.
struct BlockNetwork {
  int blocks = 8;
  std::int64_t block_parameters = 4 << 20, ends_parameters = 1 << 20;
  double exchanged = 0;
  double output_bytes = 8 << 20;
  bool experts = false;

  Model model() const {
    SmallNetwork network;
    network.layer({ends_parameters});
    for (int i = 0; i < blocks; ++i) network.layer({block_parameters - 1024, 1024});
    network.layer({ends_parameters});
    Model result = network.model;
    result.layers.front().role = LayerRole::embedding;
    result.layers.back().role = LayerRole::head;
    for (Layer& layer : result.layers) {
      layer.output_bytes = layer.input_bytes = output_bytes;
      if (layer.role != LayerRole::block) continue;
      if (exchanged > 0) {
        const Kernel exchange =
            communication_kernel(CollectiveOp::all_reduce, ParallelGroup::tensor, exchanged);
        layer.forward.insert(layer.forward.begin(), exchange);
        layer.forward.push_back(exchange);
        layer.backward.insert(layer.backward.begin(), exchange);
        layer.backward.push_back(exchange);
      }
    }
    std::size_t next = 0;
    for (Layer& layer : result.layers) {
      const std::size_t count = layer.role == LayerRole::block ? 2 : 1;
      for (std::size_t i = 0; i < count; ++i) layer.parameters.emplace_back(next++);
    }
    if (experts)
      for (const Layer& layer : result.layers)
        if (layer.role == LayerRole::block)
          result.parameters[layer.parameters.front().index()].expert = true;
    return result;
  }
};

/// A request on H100 GPUs with a block timer that adds up kernel times.
struct TrainingSetup {
  Model model;
  HostConstants host = built_in_host_constants();
  TrainingRequest request;
  int timed = 0;  ///< calls of the block timer

  explicit TrainingSetup(Model network) : model(std::move(network)) {
    request.model = &model;
    request.gpu = &gpu_by_name("h100-sxm");
    request.compute = &request.gpu->constants;
    request.host = &host;
    request.optimizer = &optimizer_kind("adam");
    request.ranks_per_node = 8;
    request.time_block = [this](std::span<const Kernel> kernels, Phase phase, std::uint32_t) {
      ++timed;
      BlockTime time;
      for (const Kernel& kernel : kernels) {
        if (kernel.kind == KernelKind::communication) continue;
        const KernelTime alone =
            kernel_time(kernel, request.precision, *request.gpu, *request.compute);
        time.seconds += alone.seconds;
        time.hbm_bytes += alone.hbm_bytes;
        time.host_seconds += phase == Phase::forward ? host.forward_launch : host.backward_launch;
      }
      time.sm_share = 1;
      return time;
    };
  }
  TrainingSetup(const TrainingSetup&) = delete;
};

inline std::vector<TaskId> dependencies_of(const Program& program, const Task& task) {
  const auto first = program.dependencies.begin() + task.first_dependency;
  return {first, first + task.dependency_count};
}

}  // namespace dsim
