#pragma once
// Small machines and constants for collective tests.
#include <memory>
#include <numeric>
#include <string>

#include "model/collective/algorithm.h"
#include "model/collective/communicator.h"
#include "model/collective/constants.h"
#include "model/collective/run_collectives.h"
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

/// Constants in which only latency `alpha` of every step and links cost anything.
inline CollectiveConstants ideal(double alpha) {
  CollectiveConstants k = built_in_collective_constants({});
  k.visit([&](std::string_view name, Constant& constant) {
    const auto says = [&](std::string_view word) { return name.find(word) != name.npos; };
    const bool step = says("step") || says("hop") || says("message");
    const bool share = says("efficiency") || says("share") || says("staging") || says("gain") ||
                       name == "NVLS-tree loop";
    constant = exactly(step ? alpha : says("rate") || says("copy to itself") ? 1e15 : share ? 1 : 0);
  });
  k.gpu.tree_step[0] = exactly(alpha);
  k.gpu.memory_traffic = exactly(3);
  return k;
}

/// Seconds of the last of `copies` like collectives side by side.
inline double seconds(const Communicator& c, std::string_view algorithm, CollectiveOp op, Bytes size,
                      const CollectiveConstants& k, Fidelity fidelity, std::uint32_t channels = 0,
                      int copies = 1, Protocol protocol = Protocol::simple) {
  const NcclGraphs graphs = find_nccl_graphs(c, {});
  const Schedule schedule = algorithm_by_name(algorithm).plan(
      {.communicator = &c, .op = op, .size = size, .nccl = &graphs});
  CollectiveRun run;
  run.schedule = &schedule;
  run.op = op;
  run.size = size;
  run.protocol = protocol;
  run.limits.channels = channels;
  run.limits.blackwell = c.architecture == Architecture::blackwell;
  run.graph_channels = std::max(1, graphs.ring.channels);
  run.constants = &k;
  const std::vector<CollectiveRun> runs(static_cast<std::size_t>(copies), run);
  return run_collectives(*c.topology, runs, fidelity).back().seconds;
}

}  // namespace dsim::test
