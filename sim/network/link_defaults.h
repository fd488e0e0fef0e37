#pragma once
// Latencies of links whose file gives none, and what may join what.
#include "sim/network/topology.h"

namespace dsim {

/// What a NIC of this kind adds to a small message one way, both ends together, without switches.
Time nic_latency(LinkKind kind);
/// What one fabric switch adds.
Time switch_latency(LinkKind kind);
/// True for links between machines (ib, roce, efa, slingshot, tcpx, tcpxo, tcp).
bool is_network(LinkKind kind);
/// True for links made to join GPUs (nvlink, xgmi).
bool is_gpu_link(LinkKind kind);
/// How packets find their way: spread where the network does so by itself (adaptive routing of
/// InfiniBand and Slingshot, EFA's SRD); Ethernet hashes flows (ECMP).
Routing default_routing(LinkKind kind);
/// True for leaf, spine and core.
bool is_fabric_switch(VertexKind kind);

/// Latency of a cable between two ends of a fabric. Half of a NIC's latency lies on the cable at
/// each NIC and half of a switch's on the cable at each of its sides, so that a path over k
/// switches takes nic + k * hop in both directions.
Time cable_latency(VertexKind from, VertexKind to, Time nic, Time hop);

/// Latency of any link from the tables above and those of links inside a node.
Time default_latency(LinkKind kind, VertexKind from, VertexKind to);

/// True if a link of `kind` can join these vertices: NVLink joins GPUs, NVSwitches and CPUs,
/// network links join NICs and fabric switches, and so on.
bool can_join(LinkKind kind, VertexKind from, VertexKind to);

}  // namespace dsim
