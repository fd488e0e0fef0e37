#include "model/collective/constants.h"

#include "model/collective/constants_tables.h"
#include "sim/network/link_defaults.h"

namespace dsim {

namespace {

void visit_each(const ConstantVisitor& visitor, const std::array<std::string_view, 3>& names,
                PerProtocol& constants) {
  for (std::size_t p = 0; p < constants.size(); ++p) visitor(names[p], constants[p]);
}

}  // namespace

void CollectiveConstants::visit(const ConstantVisitor& visitor) {
  visitor("collective launch", gpu.launch);
  visit_each(visitor, {"LL step", "LL128 step", "Simple step"}, gpu.step);
  visit_each(visitor, {"LL channel rate", "LL128 channel rate", "Simple channel rate"}, gpu.rate);
  visitor("slice overhead", gpu.slice_overhead);
  visitor("receive-only operation", gpu.last_operation);
  visitor("ring fill", gpu.fill);
  visitor("tree LL128 step", gpu.tree_step[1]);  // LL steps as in rings
  visitor("tree Simple step", gpu.tree_step[2]);
  visit_each(visitor, {"tree LL rate", "tree LL128 rate", "tree Simple rate"}, gpu.tree_rate);
  visitor("gather channel rate", gpu.gather_rate);
  visitor("LL128 copy gain", gpu.copy_gain);
  visitor("NVLS latency", gpu.nvls_latency);
  visitor("NVLS-tree latency", gpu.nvls_tree_latency);
  visitor("NVLS loop", gpu.nvls_loop);
  visitor("NVLS channel rate", gpu.nvls_rate);
  visitor("NVLS link share", gpu.nvls_link);
  visitor("NVLS-tree loop", gpu.nvls_tree_loop);
  visitor("NVLS-tree link share", gpu.nvls_tree_link);
  visitor("send-receive latency", gpu.copy_latency);
  visitor("send-receive step", gpu.copy_step);
  visitor("send-receive channel rate", gpu.copy_rate);
  visitor("send-receive link share", gpu.copy_link);
  visitor("copy to itself", gpu.self_copy);
  visitor("NVLink efficiency", gpu.nvlink_efficiency);
  visitor("collective HBM traffic", gpu.memory_traffic);
  visitor("network LL hop", network.ll_hop);
  visitor("network post", network.post);
  visitor("network Simple hop", network.simple_hop);
  visitor("network efficiency", network.efficiency);
  visitor("network share of all-to-all", network.copy_share);
  visitor("PCIe efficiency", path.pcie_efficiency);
  visitor("socket link efficiency", path.socket_efficiency);
  visitor("CPU message in a host", cpu.local_message);
  visitor("CPU message over the network", cpu.network_message);
  visitor("CPU copy rate", cpu.local_rate);
  visitor("CPU connection rate", cpu.connection_rate);
  visitor("CPU reduction rate", cpu.reduce_rate);
}

double CollectiveConstants::efficiency(LinkKind kind) const {
  if (is_network(kind)) return network.efficiency;
  switch (kind) {
    case LinkKind::pcie:
      return path.pcie_efficiency;
    case LinkKind::socket:
      return path.socket_efficiency;
    default:
      return gpu.nvlink_efficiency;
  }
}

CollectiveMachine machine_of(const Topology& topology) {
  CollectiveMachine machine;
  machine.architecture = gpu_by_name(topology.gpu_model()).architecture;
  machine.nvswitch = topology.has_nvswitch();
  machine.nvlink = topology.nvlink_inside_node();
  for (std::size_t l = topology.link_count(); l-- > 0;) {  // the fabric's links come last
    const Link link = topology.link(LinkId{l});
    if (!is_network(link.kind)) continue;
    machine.network = link.kind;
    const bool at_nic = topology.vertex_kind(link.from) == VertexKind::nic ||
                        topology.vertex_kind(link.to) == VertexKind::nic;
    if (!at_nic) continue;
    machine.nic = link.bandwidth;
    break;
  }
  return machine;
}

CollectiveConstants built_in_collective_constants(const CollectiveMachine& machine) {
  constexpr std::string_view topo_h = "NVIDIA/nccl 5067397c src/graph/topo.h";
  CollectiveConstants c;
  c.gpu = built_in_gpu_constants(machine);
  c.network = built_in_network_constants(machine);
  c.path.pcie_efficiency = {.82, .06, Level::assumed, topo_h,
                            "x16: NCCL counts 12, 24, 48 GB/s of 15.75, 31.5, 63"};
  c.path.socket_efficiency = {.8, .15, Level::assumed, topo_h, "inter-socket rates as in topo.h"};
  c.cpu = built_in_cpu_constants(machine);
  return c;
}

}  // namespace dsim
