#pragma once
// How many channels NCCL uses for sends and receives.
#include <vector>

#include "model/collective/nccl/search_machine.h"

namespace dsim {

/// "N p2p channels, M p2p channels per peer" of NCCL INFO; both are powers of two.
struct P2pChannels {
  int all = 1, per_peer = 1;
};

/// From the channels of the collectives (NVLS included) and the nodes as the search sees them, one
/// of each kind (NVIDIA/nccl src/graph/paths.cc).
P2pChannels p2p_channels(int channels, std::uint32_t ranks, std::size_t nodes,
                         const std::vector<SearchMachine>& machines, const NcclVersion& version);

}  // namespace dsim
