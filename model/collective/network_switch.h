#pragma once
#include <vector>

#include "model/collective/schedule_builder.h"

namespace dsim {

/// The links of the way from a GPU up to its first switch of the fabric, and from that down to it:
/// what a reduction in the network's switches (SHARP) loads. `towards` is a GPU of another node.
std::vector<LinkShare> links_to_switch(const Communicator& communicator, GpuId gpu, GpuId towards,
                                       std::uint32_t channel);
std::vector<LinkShare> links_from_switch(const Communicator& communicator, GpuId gpu, GpuId towards,
                                         std::uint32_t channel);

/// Why the network cannot reduce for this communicator, or "".
std::string collnet_unfit(const Communicator& communicator, bool found);

}  // namespace dsim
