#pragma once
// What one machine is inside: its graph, and the routes between its GPUs and NICs, found once.
#include <string>
#include <vector>

#include "sim/network/graph.h"
#include "sim/network/link_defaults.h"
#include "sim/network/path_class.h"

namespace dsim {

/// A way inside a node.
struct LocalPath {
  std::vector<LinkId> links;  ///< ids within the node
  Time latency;
  bool crosses_cpu = false;
  bool nvlink_only = false;  ///< over NVLink alone
  bool staged = false;       ///< through a buffer in host memory
  PathClass path_class = PathClass::dis;
};

/// Which ways inside a machine may be used.
struct NodeRules {
  bool nvlink = true;
  PathClass p2p = PathClass::sys;  ///< GPUs reach each other directly up to here; `loc`: never
  PathClass gdr = PathClass::p2c;  ///< NICs read GPU memory up to here (NCCL: PXB, P2C on C2C)
  std::vector<std::size_t> nics;   ///< those in use; empty = all
  std::vector<char> down;          ///< by link: 1 = broken; empty = none
};

/// The network side of a node's NICs.
struct NicSpec {
  LinkKind kind = LinkKind::ib;
  Bandwidth bandwidth;  ///< of one NIC, one direction
  Time latency;         ///< one way, both ends together, no switch
  /// Ports of an adapter, each a NIC of its own here: NICs ports*i .. ports*i + ports - 1 are one
  /// adapter, which NCCL drives as one device from 2.20 on (NCCL_IB_MERGE_NICS).
  int ports = 1;
};

/// A machine: its graph with ids from 0, its GPUs and NICs in order. Build with `prepare`.
struct NodeType {
  std::string title;       ///< "DGX H100"
  std::string gpu_model;   ///< "h100-sxm"
  std::string cpu_vendor;  ///< "intel", "amd", "arm"
  std::string gpu_links;   ///< what joins its GPUs, for people: "NVLink4", "PCIe4 x16"
  NicSpec nic_spec;        ///< of a node of a cluster with a fabric; unused in explicit graphs
  Graph graph;
  NodeRules rules;
  PathClass most_p2p = PathClass::sys;  ///< what the hardware allows: `loc` = no P2P at all
  bool gpudirect = true;                ///< NICs can read GPU memory
  std::vector<VertexId> gpus, nics;

  // Found by prepare().
  std::vector<LocalPath> gpu_paths;               ///< [from * gpus + to]; empty where from == to
  std::vector<LocalPath> nic_paths;               ///< [gpu * nics + nic], from the GPU to the NIC
  std::vector<std::size_t> nic_distances;         ///< [gpu * nics + nic]
  std::vector<std::vector<std::size_t>> nics_of;  ///< by affinity, for each GPU
  std::vector<std::uint32_t> nvlinks;             ///< [from * gpus + to]: direct links
  std::vector<std::uint32_t> nvswitch_links;      ///< of each GPU
  bool has_nvswitch = false;

  const LocalPath& gpu_path(std::size_t from, std::size_t to) const {
    return gpu_paths[from * gpus.size() + to];
  }
  const LocalPath& nic_path(std::size_t gpu, std::size_t nic) const {
    return nic_paths[gpu * nics.size() + nic];
  }
  /// True if the first `count` GPUs reach one another over NVLink alone (false without any NVLink).
  bool nvlink_among(std::size_t count) const;
  /// The GPU through which `from` reaches NIC `nic` over NVLink (PXN); itself if the NIC is its own
  /// or none will do. `alike` is preferred where several GPUs share the NIC.
  std::size_t relay_to(std::size_t from, std::size_t nic, std::size_t alike) const;
  /// Links between a GPU and a NIC by the shortest way, whether or not bytes take it.
  std::size_t nic_distance(std::size_t gpu, std::size_t nic) const {
    return nic_distances[gpu * nics.size() + nic];
  }
  /// True if the NIC is in use.
  bool uses(std::size_t nic) const;
  /// True if the rules let a link be crossed.
  bool open(LinkId link) const {
    return (rules.down.empty() || !rules.down[link.index()]) &&
           (rules.nvlink || !is_gpu_link(graph.link(link).kind));
  }
};

/// Fills the routes and the affinity; returns a sentence where that is impossible, else "".
/// Requires a connected graph in which every link has a twin.
///
/// GPU to GPU: over NVLink if at most one GPU lies between (as NCCL's NVB), else over PCIe and
/// CPUs. GPU to NIC: over PCIe and CPUs. Neither passes a NIC. Beyond the classes of the rules
/// bytes go through a buffer in host memory at the nearest CPU. Affinity: GPU g uses the NICs
/// nearest to it (fewest links); GPUs with the same nearest NICs share them out evenly in order.
std::string prepare(NodeType& type);

/// Keeps `count` of the NICs, spread evenly over the slots. Requires 1 <= count <= slots; call
/// before prepare.
void keep_nics(NodeType& type, std::size_t count);

}  // namespace dsim
