#pragma once
// RCCL's table: AMD's fork of NCCL keeps the formulas and replaces the figures.
#include <array>

#include "model/collective/nccl/tuning_tables.h"
#include "model/compute/gpu.h"

namespace dsim {

using PerSize =
    std::array<std::array<double, 27>, 3>;  ///< by protocol, by floor(log2(size / 64 B))

/// ROCm/rccl src/graph/tuning.cc: one of its tuning models.
struct RcclModel {
  TuningLatencies latencies;
  /// Of the graph's bandwidth, on one or two nodes, on more.
  std::array<PerProtocol, 2> tree_share, ring_share;
  PerSize tree_correction, ring_correction;  ///< the ring's on several nodes
};

/// Null for GPUs that run NCCL.
const RcclModel* rccl_model(Architecture architecture);

}  // namespace dsim
