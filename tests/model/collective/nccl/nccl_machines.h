#pragma once
// Graphs of well-known machines, by hand: channels x GB/s as NCCL's search finds them.
#include "model/collective/nccl/choice.h"
#include "sim/base/units.h"

namespace dsim::test {

/// What a choice is made on.
struct NcclWorld {
  NcclGraphs graphs;
  NcclMachine machine;
  NcclSettings settings;

  NcclChoice choose(Bytes size, CollectiveOp op = CollectiveOp::all_reduce,
                    DataType type = DataType::half) const {
    return choose_nccl(graphs, machine, settings, op, size, type);
  }
};

inline NcclGraph nccl_graph(int channels, double intra, double inter) {
  NcclGraph g;
  g.channels = channels;
  g.bw_intra = intra;
  g.bw_inter = inter;
  return g;
}

inline NcclWorld nccl_world(Architecture gpu, const char* cpu, std::uint32_t nodes,
                            std::uint32_t per_node, NcclVersion version, NcclGraph ring,
                            NcclGraph tree, NcclGraph nvls, int channels) {
  NcclWorld w;
  w.machine = {gpu, cpu, nodes * per_node, nodes, 0};
  w.settings.version = version;
  w.graphs.ring = ring;
  w.graphs.tree = tree;
  w.graphs.nvls = nvls;
  w.graphs.channels = channels;
  w.graphs.nvls_channels = nvls.channels > 0 ? 16 : 0;
  w.graphs.p2p_channels = 32;
  w.graphs.p2p_channels_per_peer = 2;
  w.graphs.nvls_tree = nvls.channels > 0 && nodes > 1;
  w.graphs.pat = per_node == 1;
  return w;
}

inline constexpr NcclVersion newest{2, 30, 7};

inline NcclWorld dgx1(NcclVersion version = newest) {
  const auto g = nccl_graph(6, 20, 20);
  return nccl_world(Architecture::volta, "intel", 1, 8, version, g, g, {}, 12);
}

inline NcclWorld a100(std::uint32_t nodes, NcclVersion version = newest, const char* cpu = "amd") {
  if (nodes == 1) {
    const auto g = nccl_graph(12, 20, 20);
    return nccl_world(Architecture::ampere, cpu, 1, 8, version, g, g, {}, 24);
  }
  return nccl_world(Architecture::ampere, cpu, nodes, 8, version, nccl_graph(8, 24, 24),
                    nccl_graph(8, nodes == 2 ? 30 : 24, 24), {}, 16);
}

inline NcclWorld h100(std::uint32_t nodes, NcclVersion version = newest,
                      const char* cpu = "intel") {
  if (nodes == 1) {
    const auto g = nccl_graph(12, 30, 30);
    return nccl_world(Architecture::hopper, cpu, 1, 8, version, g, g, nccl_graph(8, 40, 60), 24);
  }
  return nccl_world(Architecture::hopper, cpu, nodes, 8, version, nccl_graph(8, 45, 45),
                    nccl_graph(8, 48, 48), nccl_graph(8, 40, 48), 16);
}

inline NcclWorld b200(std::uint32_t nodes, NcclVersion version = newest,
                      const char* cpu = "intel") {
  if (nodes == 1) {
    const auto g = nccl_graph(16, 45, 45);
    return nccl_world(Architecture::blackwell, cpu, 1, 8, version, g, g, nccl_graph(8, 80, 90), 32);
  }
  const auto g = nccl_graph(8, 48, 48);
  return nccl_world(Architecture::blackwell, cpu, nodes, 8, version, g, g, nccl_graph(8, 80, 48),
                    16);
}

/// "ring LL128"
inline std::string chosen(const NcclChoice& choice) {
  return std::string(choice.algorithm) + " " + std::string(name_of(choice.protocol));
}

/// The least power of two from which on, up to 16 GiB, nothing but `what` is chosen; 0 if none.
inline std::int64_t always_from(const NcclWorld& w, const std::string& what, CollectiveOp op,
                                DataType type = DataType::half) {
  std::int64_t from = 0;
  for (std::int64_t size = 8; size <= (std::int64_t{16} << 30); size *= 2)
    if (chosen(w.choose(Bytes{size}, op, type)) != what)
      from = 0;
    else if (from == 0)
      from = size;
  return from;
}

}  // namespace dsim::test
