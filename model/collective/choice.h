#pragma once
#include <string>

#include "model/collective/algorithm.h"

namespace dsim {

/// What a back end chose for a call, and why.
struct Choice {
  const Algorithm* algorithm = nullptr;
  double ring_us = 0, tree_us = 0;  ///< the back end's own estimates; 0 where it has none
};

/// What NCCL's graph search finds, as far as its estimate needs it.
struct NcclGraph {
  double bandwidth =
      0;  ///< of all channels together, GB/s: NVLink per GPU inside a node (topo.h), the
          ///  NICs of a node between nodes
  double channels = 0;  ///< before they are doubled
};
NcclGraph nccl_graph(const Communicator& communicator);

/// NCCL's choice between ring and tree by NCCL's own estimate (NVIDIA/nccl 5067397c
/// src/graph/tuning.cc, Simple protocol, constants of 2.23 and later). Never the simulated time.
Choice choose_nccl(const Communicator& communicator, const NcclGraph& graph, CollectiveOp op,
                   Bytes size);

}  // namespace dsim
