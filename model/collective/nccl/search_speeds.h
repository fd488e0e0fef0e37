#pragma once
// The speeds a channel may have, which NCCL tries from the highest down.
#include <span>

#include "model/collective/nccl/search_machine.h"

namespace dsim {

/// Speeds for channels within a node or through NICs. MB/s, falling.
std::span<const SearchRate> channel_speeds(int compute, bool through_nics,
                                           const NcclVersion& version);

/// What NCCL takes for one NVLink, one direction. MB/s.
SearchRate nvlink_rate(int compute, const NcclVersion& version);

/// What NCCL takes for a PCIe link of this nominal rate: 12, 24, 48, 96 GB/s for x16 of generation
/// 3 to 6, and its halves.
SearchRate pcie_rate(Bandwidth nominal);

/// Most channels of a communicator.
int most_channels(const NcclVersion& version);

}  // namespace dsim
