#pragma once
#include <string>

#include "model/collective/algorithm.h"

namespace dsim {

/// What a back end chose for a call, and why.
struct Choice {
  const Algorithm* algorithm = nullptr;
  double ring_us = 0, tree_us = 0;  ///< the back end's own estimates; 0 where it has none
};

/// NCCL's choice between ring and tree by NCCL's own estimate (NVIDIA/nccl 5067397c
/// src/graph/tuning.cc, Simple protocol, constants of 2.23 and later). Never the simulated time.
/// `graph_bandwidth` is the sum over channels of the rate its graph search finds, GB/s.
Choice choose_nccl(const Communicator& communicator, CollectiveOp op, Bytes size,
                   double graph_bandwidth);

/// The rate NCCL believes the channels of this communicator have together, GB/s: NVLink per GPU
/// inside a node (topo.h), the NICs of a node between nodes.
double nccl_graph_bandwidth(const Communicator& communicator);

}  // namespace dsim
