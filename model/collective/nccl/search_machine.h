#pragma once
// One node as NCCL sees it before it searches: links with NCCL's own bandwidths, and the paths it
// takes from GPU to GPU and between GPUs and NICs.
#include <cstdint>
#include <string>
#include <vector>

#include "model/collective/communicator.h"
#include "model/collective/nccl/settings.h"
#include "sim/network/path_class.h"

namespace dsim {

struct NodeType;

using PathType = PathClass;

/// Bandwidths of the search are whole MB/s, so that taking and giving back is exact.
using SearchRate = std::int32_t;

/// A directed link; `capacity` by NCCL's tables.
struct SearchLink {
  SearchRate capacity = 0;
  std::int32_t reverse = -1;
  bool pcie = false;
  bool into_old_gpu = false;  ///< ends at a GPU before Ampere: a receive loads the way back by 1/8
  bool operator==(const SearchLink&) const = default;
};

struct SearchPath {
  std::vector<std::int32_t> links;
  PathType type = PathType::dis;
  SearchRate rate = 0;        ///< of its slowest link
  bool intel_bridge = false;  ///< a GPU's way through an Intel host bridge: PCIe costs 6/5
  bool from_outside = false;  ///< starts at a NIC
  bool operator==(const SearchPath&) const = default;
};

/// What the search needs of a node. GPUs are in the order of their local index, and NICs too.
struct SearchMachine {
  int gpus = 0, nics = 0;
  bool nvswitch = false;
  int compute = 80;  ///< 70, 75, 80, 89, 90, 100
  bool amd = false;
  SearchRate nvlink_rate = 0;    ///< of one NVLink
  std::vector<int> local_index;  ///< of each GPU, within the node
  std::vector<int> nic_index;    ///< of each NIC, within the node; the first of a merged one
  std::vector<SearchLink> links;
  std::vector<SearchPath> gpu_gpu;                 ///< [from * gpus + to]
  std::vector<SearchPath> gpu_nic;                 ///< [gpu * nics + nic]
  std::vector<SearchPath> nic_gpu;                 ///< [nic * gpus + gpu]
  std::vector<SearchPath> to_switch, from_switch;  ///< by GPU, where an NVSwitch is
  std::vector<SearchRate> pcie_rate;               ///< of a GPU's own PCIe link
  std::vector<SearchRate> nic_rate;
  std::vector<std::vector<int>> nics_of_gpu;  ///< those it uses first, in its order
  std::vector<std::vector<int>> gpus_of_nic;  ///< the nearest ones
  std::vector<int> head_of_nic;               ///< the GPU that serves it
  SearchRate best_path = 0;                   ///< "maxBw" of NCCL INFO
  SearchRate total = 0;                       ///< "totalBw"
  bool operator==(const SearchMachine&) const = default;

  const SearchPath& between(int from, int to) const {
    return gpu_gpu[static_cast<std::size_t>(from * gpus + to)];
  }
  const SearchPath& to_nic(int gpu, int nic) const {
    return gpu_nic[static_cast<std::size_t>(gpu * nics + nic)];
  }
  const SearchPath& from_nic(int nic, int gpu) const {
    return nic_gpu[static_cast<std::size_t>(nic * gpus + gpu)];
  }
};

/// The node `node` of a communicator (index into `communicator.nodes`), with the GPUs of its ranks
/// alone. NICs are left out where the communicator stays within one node, as NCCL trims them.
SearchMachine search_machine(const Communicator& communicator, std::size_t node,
                             const NcclSettings& settings);

/// The type of that node. Requires a topology whose nodes have a known inside.
const NodeType& node_type_of(const Communicator& communicator, std::size_t node);

/// Compute capability as NCCL compares it: 70, 75, 80, 89, 90, 100.
int compute_capability(Architecture architecture);

}  // namespace dsim
