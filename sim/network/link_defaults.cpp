#include "sim/network/link_defaults.h"

namespace dsim {

using namespace dsim::literals;

// All are latencies of hardware, one way, for a small message; what a collective library adds per
// step is a matter of the calibration. Level: assumed or published as said.
Time nic_latency(LinkKind kind) {
  switch (kind) {
    // Small RDMA write between two hosts on a cable: ConnectX-5 EDR 0.82 us (IBM/tulips
    // docs/topics/Test-and-Performance.md, half of a raw round trip of 1.63 us); about 1 us for HDR
    // and NDR (assumed; adapters' sheets do not give it).
    case LinkKind::ib:
      return 1_us;
    // RoCEv2 1.3-2 us (assumed, middle of what vendors publish).
    case LinkKind::roce:
      return 1'600_ns;
    // 8-byte write with immediate data between two nodes: 18 us on P5en, 20 us on P5
    // (aws/aws-ofi-nccl 2daf7d30 src/tuner).
    case LinkKind::efa:
      return 18_us;
    // Slingshot-11: about 2 us between two MPI ranks (assumed).
    case LinkKind::slingshot:
      return 2_us;
    // GPUDirect-TCPX and TCPXO move bytes in software: 20-40 us between two GPUs (assumed; TCPXO
    // offloads to the NIC's own cores and is put at the lower end).
    case LinkKind::tcpx:
      return 30_us;
    case LinkKind::tcpxo:
      return 25_us;
    // Sockets: about 20 us a hop, derived from an 8-byte all-reduce of 50.4 us over TCP against
    // 17.6 us over RDMA (eth-cscs/cscs-docs 80abed1 communication/nccl.md).
    case LinkKind::tcp:
      return 20_us;
    default:
      return Time{};
  }
}

Time switch_latency(LinkKind kind) {
  switch (kind) {
    // Quantum-2 is sold with figures of 150 and 330 ns, Quantum 130 ns, EDR 90 ns: 150 ns.
    case LinkKind::ib:
      return 150_ns;
    // A Rosetta switch of Slingshot: 350 ns (HPE states 300-400 ns; assumed).
    case LinkKind::slingshot:
      return 350_ns;
    // Ethernet switches 0.3-0.6 us (assumed).
    case LinkKind::roce:
    case LinkKind::tcpx:
    case LinkKind::tcpxo:
    case LinkKind::tcp:
      return 500_ns;
    // The latency of the NIC row above was measured through the fabric.
    default:
      return Time{};
  }
}

bool is_network(LinkKind kind) {
  return kind >= LinkKind::ib;  // the kinds between nodes come last
}

bool is_gpu_link(LinkKind kind) { return kind == LinkKind::nvlink || kind == LinkKind::xgmi; }

Routing default_routing(LinkKind kind) {
  switch (kind) {
    case LinkKind::ib:
    case LinkKind::efa:
    case LinkKind::slingshot:
      return Routing::spray;
    default:
      return Routing::hash;
  }
}

bool is_fabric_switch(VertexKind kind) {
  return kind == VertexKind::leaf || kind == VertexKind::spine || kind == VertexKind::core;
}

Time cable_latency(VertexKind from, VertexKind to, Time nic, Time hop) {
  Time total;
  for (const VertexKind end : {from, to})
    total += Time{(end == VertexKind::nic ? nic.ps : hop.ps) / 2};
  return total;
}

Time default_latency(LinkKind kind, VertexKind from, VertexKind to) {
  const auto touches = [&](VertexKind which) { return from == which || to == which; };
  switch (kind) {
    // A peer-to-peer step over NVLink is 0.6 us at best: NCCL's LL latency of an NVLink hop
    // (NVIDIA/nccl 5067397c src/graph/tuning.cc). Through a switch it is made of two links.
    case LinkKind::nvlink:
      return touches(VertexKind::nvswitch) ? 300_ns : 600_ns;
    // xGMI between two GPUs: as NVLink between two GPUs (assumed).
    case LinkKind::xgmi:
      return 600_ns;
    // Grace to Hopper over NVLink-C2C: loads of the other side take about 0.4 us more than local
    // ones (assumed).
    case LinkKind::c2c:
      return 400_ns;
    // GPU to GPU 1.3 us under one PCIe switch and 2 us through the root complex (assumed), so
    // 0.65 us at a GPU and 0.35 us between switch and CPU; 1 us at a GPU's own root port. The
    // crossing at the NIC is for the greater part within the NIC's latency.
    case LinkKind::pcie:
      if (touches(VertexKind::nic)) return 200_ns;
      if (touches(VertexKind::gpu)) return touches(VertexKind::cpu) ? 1_us : 650_ns;
      return 350_ns;
    // Difference of a load from the far and the near socket, about 0.1-0.2 us (assumed).
    case LinkKind::socket:
      return 200_ns;
    default:
      return cable_latency(from, to, nic_latency(kind), switch_latency(kind));
  }
}

bool can_join(LinkKind kind, VertexKind from, VertexKind to) {
  const auto admits = [kind](VertexKind end) {
    switch (kind) {
      case LinkKind::nvlink:
        return end == VertexKind::gpu || end == VertexKind::nvswitch || end == VertexKind::cpu;
      case LinkKind::xgmi:
      case LinkKind::c2c:
        return end == VertexKind::gpu || end == VertexKind::cpu;
      case LinkKind::pcie:
        return end == VertexKind::gpu || end == VertexKind::pcie_switch || end == VertexKind::cpu ||
               end == VertexKind::nic;
      case LinkKind::socket:
        return end == VertexKind::cpu;
      default:
        return end == VertexKind::nic || is_fabric_switch(end);
    }
  };
  return admits(from) && admits(to);
}

}  // namespace dsim
