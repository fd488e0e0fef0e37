#pragma once
// What the machine is: vertices (GPUs, switches, NICs) joined by directed links, and routes between
// GPUs. Immutable after build; many simulations share one.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/id.h"
#include "sim/base/units.h"
#include "sim/network/path_class.h"

namespace dsim {

using VertexId = Id<struct VertexTag>;
using LinkId = Id<struct LinkTag>;
/// A GPU of the cluster: node-major, gpu = node * gpus_per_node + local index.
using GpuId = Id<struct GpuTag>;

enum class VertexKind : std::uint8_t { gpu, nvswitch, pcie_switch, cpu, nic, leaf, spine, core };
/// What a link is made of. Inside a node: NVLink; AMD's xGMI between GPUs; NVLink-C2C between a GPU
/// and its CPU; PCIe; `socket` between CPUs (UPI, Infinity Fabric). Between nodes: InfiniBand,
/// RoCE, AWS EFA, HPE Slingshot, Google's GPUDirect-TCPX and TCPXO, sockets over TCP.
enum class LinkKind : std::uint8_t {
  nvlink,
  xgmi,
  c2c,
  pcie,
  socket,
  ib,
  roce,
  efa,
  slingshot,
  tcpx,
  tcpxo,
  tcp
};
constexpr std::size_t link_kind_count = 12;
static_assert(link_kind_count == static_cast<std::size_t>(LinkKind::tcp) + 1);

std::string_view name_of(VertexKind kind);
std::string_view name_of(LinkKind kind);

/// A directed link. `bandwidth` is the nominal payload rate of one direction; what is achievable is
/// the calibration's business.
struct Link {
  VertexId from, to;
  Bandwidth bandwidth;
  Time latency;
  LinkKind kind = LinkKind::pcie;
  std::uint32_t links = 1;  ///< parallel physical links it stands for (18 NVLinks of an H100)
};

/// A part of a route: `share` of the bytes crosses `link` (1 unless packets are sprayed).
struct LinkShare {
  LinkId link;
  double share = 1;
};

/// The way from one GPU to another. `latency` is the sum over one path.
struct Route {
  std::vector<LinkShare> links;
  Time latency;
  bool leaves_node = false;    ///< crosses a NIC
  bool crosses_cpu = false;    ///< passes a CPU (host bridge), inside a node or on the way to a NIC
  bool staged = false;         ///< bytes are copied through host memory (no P2P, no GPUDirect)
  int switch_hops = 0;         ///< fabric switches passed
  Bandwidth connection_limit;  ///< what one connection reaches at most; 0 if only links limit it
};

/// How a path is chosen among several.
/// rail_aligned: traffic for another rail first moves over NVLink to the GPU of that rail (PXN),
/// then
///   as spray. spray: from the GPU's own NIC, packets spread evenly over equal paths. hash: one
///   path per flow (ECMP).
enum class Routing : std::uint8_t { rail_aligned, spray, hash };
std::string_view name_of(Routing routing);

/// Which of parallel choices a transfer takes: `channel` picks the NIC where a GPU has several,
/// `flow` seeds the hash. A `rail` names the NIC at both ends instead, whoever's it is: the sender
/// reaches it over NVLink through a GPU beside it, else over PCIe.
struct RouteKey {
  static constexpr std::uint32_t any = 0xffffffffu;
  std::uint32_t channel = 0;
  std::uint64_t flow = 0;
  std::uint32_t rail = any;
};

class Topology {
 public:
  virtual ~Topology() = default;

  virtual std::string_view name() const = 0;
  /// One line for the report: "64 x DGX H100 (8 x NVLink4, 8 x 400 Gb/s), rail-optimised fat tree".
  virtual std::string description() const = 0;
  /// A row name of the GPU table, e.g. "h100-sxm".
  virtual std::string_view gpu_model() const = 0;
  /// "intel", "amd", "arm": an input of NCCL's choices.
  virtual std::string_view cpu_vendor() const = 0;

  virtual std::size_t node_count() const = 0;
  virtual std::size_t gpus_per_node() const = 0;  ///< of the fullest node
  virtual std::size_t gpu_count() const = 0;
  virtual std::size_t nics_per_node() const = 0;  ///< 0 on a single machine without network
  virtual std::size_t node_of(GpuId gpu) const = 0;
  virtual std::size_t local_index(GpuId gpu) const = 0;
  /// NICs of its node that a GPU uses first (by affinity), as NIC indices within the node.
  virtual std::vector<std::size_t> nics_of(GpuId gpu) const = 0;

  virtual std::size_t vertex_count() const = 0;
  virtual VertexKind vertex_kind(VertexId vertex) const = 0;
  virtual std::string vertex_name(VertexId vertex) const = 0;  ///< "node3.gpu5", "leaf2"
  virtual VertexId gpu_vertex(GpuId gpu) const = 0;

  virtual std::size_t link_count() const = 0;
  virtual Link link(LinkId link) const = 0;

  virtual Routing default_routing() const = 0;
  /// The route from `from` to `to` (replaces `out`). Requires from != to.
  virtual void route(GpuId from, GpuId to, Routing routing, RouteKey key, Route& out) const = 0;

  /// True if every GPU reaches the others of its node over NVLink alone (switch or mesh).
  virtual bool nvlink_inside_node() const = 0;
  /// True if an NVSwitch joins the GPUs of a node.
  virtual bool has_nvswitch() const = 0;

  /// How close two GPUs are by the way their traffic takes: `net` on different nodes, `loc` of a
  /// GPU and itself; a pair that copies through host memory is `phb` or `sys`.
  virtual PathClass path_class(GpuId from, GpuId to) const = 0;
  /// How close a NIC of its node is to a GPU, over PCIe and CPUs: `pxn` only where nothing
  /// else leads there (else PXN is NCCL's decision); `phb` or `sys` where bytes are copied through
  /// host memory. Requires nic < number of NICs of the node.
  virtual PathClass nic_path_class(GpuId gpu, std::size_t nic) const = 0;
  /// NVLinks (or xGMI links) that join two GPUs directly.
  virtual std::size_t nvlink_count(GpuId from, GpuId to) const = 0;
  /// NVLinks of a GPU to NVSwitches.
  virtual std::size_t nvswitch_links(GpuId gpu) const = 0;
  /// NICs of a node in use, as indices within the node: all but those a fault or a list leaves out.
  virtual std::vector<std::size_t> nics_of_node(std::size_t node) const = 0;
  /// What the NICs of the first node are; `ib` and 0 without any.
  virtual LinkKind nic_kind() const = 0;
  virtual Bandwidth nic_bandwidth() const = 0;  ///< of one NIC, one direction

  /// Throws InputError where the file names the GPU model.
  [[noreturn]] virtual void refuse_gpu(std::string_view message) const = 0;
};

/// Reads a topology file (format dsim.topology/1). Errors: InputError with position.
std::shared_ptr<const Topology> load_topology(const std::filesystem::path& path);
/// Same from text; `name` stands for the file in messages.
std::shared_ptr<const Topology> parse_topology(std::string text, std::string name);
/// The first `gpus` GPUs of a cluster, packed: whole nodes if `gpus` exceeds one node (then it must
/// be a multiple of a node's GPUs), a part of one node otherwise. The fabric keeps its shape.
/// Throws InputError if there are fewer GPUs.
std::shared_ptr<const Topology> first_gpus(std::shared_ptr<const Topology> topology,
                                           std::size_t gpus);

}  // namespace dsim
