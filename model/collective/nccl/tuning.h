#pragma once
// NCCL's estimate of one algorithm with one protocol: a latency and a bandwidth.
#include <string_view>

#include "model/collective/nccl/choice.h"
#include "model/collective/nccl/tuning_rccl.h"
#include "model/collective/nccl/tuning_tables.h"

namespace dsim {

/// Its name in our registry: "ring", "nvls_tree".
std::string_view name_of(NcclAlgorithm algorithm);

/// What the estimates of one call share.
struct TuningCase {
  const NcclGraphs& graphs;
  const NcclMachine& machine;
  CollectiveOp op;
  NcclVersion version;
  const TuningLatencies& latencies;
  const TuningCaps& caps;
  const TuningRules& rules;
  const RcclModel* rccl;   ///< null on NVIDIA's GPUs
  std::size_t generation;  ///< row of the caps
  std::size_t nodes;       ///< column of the caps
  double per_node;         ///< ranks a node
  int local;               ///< the same, whole
  int steps;               ///< of a ring
};
TuningCase tuning_case(const NcclGraphs& graphs, const NcclMachine& machine,
                       const NcclVersion& version, CollectiveOp op);

/// The graph an algorithm runs on.
const NcclGraph& graph_of(const TuningCase& c, NcclAlgorithm algorithm);
/// us, without the correction for the size.
double tuning_latency(const TuningCase& c, NcclAlgorithm algorithm, Protocol protocol);
/// GB/s of algorithm bandwidth, without the correction for the size; 0 = does not run.
double tuning_bandwidth(const TuningCase& c, NcclAlgorithm algorithm, Protocol protocol);

/// Factors of the size: on the latency (the ring's plateau) and on the bandwidth (trees).
struct SizeFactors {
  double latency = 1, bandwidth = 1;
};
SizeFactors size_factors(const TuningCase& c, NcclAlgorithm algorithm, Protocol protocol,
                         Bytes size);

}  // namespace dsim
