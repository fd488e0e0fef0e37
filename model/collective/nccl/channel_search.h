#pragma once
// Backtracking over the ways through one node: as many channels of a given speed as its links bear.
#include <cstdint>
#include <vector>

#include "model/collective/nccl/search_machine.h"

namespace dsim {

/// Shapes of a channel inside a node. Trees are chains here: a balanced tree splits the traffic of
/// its NIC between the first two GPUs, a tree leaves it all at the first.
enum class ChannelPattern : std::uint8_t { ring, balanced_tree, tree, nvls, collnet_direct };

/// What is asked of a search, and what it finds.
struct SearchGraph {
  ChannelPattern pattern = ChannelPattern::ring;
  int least_channels = 1, most_channels = 32;
  SearchRate inside = 0, outside = 0;  ///< speed of a channel within the node and at its NIC
  PathType type_inside = PathType::loc, type_outside = PathType::pix;  ///< worst classes allowed
  int cross_nic = 0;          ///< 1: leave by any NIC; 2: odd channels go the way back of even ones
  bool same_channels = true;  ///< every channel repeats the first

  int channels = 0;
  int hops = 0;
  std::vector<int> order;  ///< [channel * gpus + step]: the GPU
  std::vector<int> nics;   ///< [channel * 2]: where it enters, and leaves
};

/// How a search ended.
enum class SearchEnd : std::uint8_t { exhausted, out_of_steps, perfect };

/// No search of `wanted` finds more channels, nor fewer hops a channel.
struct SearchBound {
  std::int64_t channels = 0;
  int hops = 0;
};
SearchBound search_bound(const SearchMachine& machine, const SearchGraph& wanted);

/// Looks for more or faster channels than `best` has, of the speed and classes in `wanted`; keeps
/// in `best` each that is better; stops early at the bound. At most `steps` GPUs are visited; what
/// is left of them is written back.
SearchEnd search_channels(const SearchMachine& machine, const SearchGraph& wanted,
                          SearchBound bound, SearchGraph& best, int& steps);

}  // namespace dsim
