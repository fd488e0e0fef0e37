#pragma once
// NCCL's search for one graph on one node: which speeds, path classes and shapes are tried, in
// which order, and when it stops (NVIDIA/nccl src/graph/search.cc; docs/nccl-graphs.md tells it in
// words).
#include "model/collective/nccl/channel_search.h"

namespace dsim {

/// What one graph asks for.
struct SearchRequest {
  ChannelPattern pattern = ChannelPattern::ring;
  int least_channels = 1, most_channels = 32;
  bool collnet = false;
};

/// The graph NCCL ends with. `channels` is 0 where it finds none and needs none (NVLS, CollNet); a
/// ring or a tree always exists: index order at 0.1 GB/s if nothing fits.
SearchGraph search_graph(const SearchMachine& machine, const SearchRequest& request,
                         const NcclSettings& settings);

}  // namespace dsim
