#pragma once
// Small machines and constants for collective tests.
#include <memory>
#include <numeric>
#include <string>

#include "model/collective/algorithm.h"
#include "model/collective/communicator.h"
#include "model/collective/constants.h"
#include "sim/base/data_files.h"

namespace dsim::test {

inline std::shared_ptr<const Topology> shipped(const std::string& name) {
  return load_topology(find_data_file(name, "topologies"));
}

/// All GPUs of a topology, or the first `count` of them.
inline Communicator everybody(const Topology& topology, std::size_t count = 0) {
  std::vector<GpuId> gpus;
  for (std::size_t g = 0; g < (count == 0 ? topology.gpu_count() : count); ++g)
    gpus.emplace_back(g);
  return make_communicator(topology, topology.default_routing(),
                           gpu_by_name(topology.gpu_model()).architecture, gpus);
}

/// The schedule of an algorithm on the channels that NCCL finds.
inline Schedule planned(const std::string& algorithm, const Communicator& c, CollectiveOp op,
                        std::uint32_t root = 0) {
  const NcclGraphs graphs = find_nccl_graphs(c, {});
  return algorithm_by_name(algorithm).plan(
      {.communicator = &c, .op = op, .root = root, .nccl = &graphs});
}

inline Constant exactly(double value) { return {value, 0, Level::assumed, "test", ""}; }

/// Constants in which only latency `alpha` and links cost anything.
inline CollectiveConstants ideal(double alpha) {
  CollectiveConstants k;
  k.launch = exactly(0);
  k.step_latency = k.tree_latency = exactly(alpha);
  k.slice_overhead = exactly(0);
  k.channel_rate = k.tree_rate = exactly(1e15);
  k.network_latency = exactly(alpha);
  k.network_post = exactly(0);
  k.nvlink_efficiency = k.pcie_efficiency = k.socket_efficiency = k.network_efficiency = exactly(1);
  k.memory_traffic = exactly(3);
  return k;
}

}  // namespace dsim::test
