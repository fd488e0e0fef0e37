#pragma once
// The constants of NCCL's estimate as they were in each range of versions: facts of NVIDIA/nccl
// src/graph/tuning.cc at the tags named beside each row. docs/nccl.md tells what they do.
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/collective/nccl/version.h"

namespace dsim {

/// In NCCL's order: of equal estimates the first one wins.
enum class NcclAlgorithm : std::uint8_t {
  tree,
  ring,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat
};
inline constexpr std::size_t nccl_algorithm_count = 7;

using PerProtocol = std::array<double, 3>;  ///< LL, LL128, Simple
using PerAlgorithm = std::array<PerProtocol, nccl_algorithm_count>;

/// Microseconds: a fixed part, and one per hop over NVLink, PCIe, network.
struct TuningLatencies {
  PerAlgorithm base, nvlink, pcie, network;
};

/// GB/s on 1, 2 and more nodes.
using PerNodes = std::array<double, 3>;
/// Volta, Ampere (and Ada), Hopper, Blackwell.
using PerGeneration = std::array<PerNodes, 4>;

/// Caps that no graph bandwidth exceeds.
struct TuningCaps {
  PerGeneration ll;          ///< all channels together; on several nodes the row is the CPU's
  PerGeneration ring_ll128;  ///< a channel
  PerGeneration tree_ll128;  ///< a channel
  PerGeneration tree;        ///< a channel
  PerGeneration nvls_tree;   ///< a channel; 0 = none
};

/// How NVLS bandwidth follows from the graph.
enum class NvlsRule : std::uint8_t {
  none,         ///< NCCL has no NVLS
  ring_graph,   ///< 2.17: the ring's graph x .75, one node
  own_graph,    ///< 2.18: channels x bw x 5/6; NVLS-tree x .7 N/(2(N-1))
  slower_side,  ///< 2.19 to 2.27: min(intra, inter), NVLS-tree half the inter above 2 nodes; x 5/6
  efficiency    ///< from 2.28: intra x .85 (.74) x 2 (n-1)/n against inter and a cap
};

/// The formulas' switches.
struct TuningRules {
  double total_cap_ampere = 0, total_cap_hopper = 0;  ///< GB/s of a whole graph; 0 = none
  double tree_share = .92;            ///< of the graph's bandwidth that a tree reaches
  double tree_ll128_share = .9375;    ///< several nodes
  bool tree_totals = false;           ///< 2.7: caps of trees in total, not a channel
  bool ring_ll_capped = true;         ///< the LL cap holds for rings
  bool ring_ll_half = true;           ///< LL has 1/2 of a ring; before 2.23 1/4, one node AG/RS 1/3
  bool lone_gpu_share = false;        ///< LL128 ring x .7 with one GPU a node
  bool slow_ll_inside = false;        ///< LL hops inside nodes x 1.8 on several nodes
  bool two_n_hops = false;            ///< an all-reduce ring counts 2N network hops, not 2(N-1)
  bool post_overhead = true;          ///< hops inside a node wait for the proxy's posts
  bool lone_gpu_tree_latency = true;  ///< one GPU a node: network hops at the tree's latency
  bool nic_latency_added = true;      ///< the plugin's latency is added, not put instead
  bool nic_latency = true;            ///< the plugin's latency is known
  bool plateau_by_channel = true;     ///< from 64 B a channel and rank; before 4 KiB a rank
  double plateau_old = 1.9, plateau_new = 1.4;  ///< factors on the latency
  int plateau_new_from = 1;                     ///< first generation with plateau_new (1 = Ampere)
  bool tree_pattern = true;                     ///< TREE pattern x .85
  bool power_tree = true;             ///< POWER hosts: tree over PCIe at the ring's latency
  bool small_tree_corrected = false;  ///< sizes below 64 B take the first correction factor
  bool nvls_tree_corrected = false;   ///< Blackwell on x86: NVLS-tree takes the tree's correction
  NvlsRule nvls = NvlsRule::efficiency;
  bool nvls_gather_slower = false;  ///< 2.25 to 2.27: AG/RS on min(intra (g-1)/g, .9 inter)
  bool nvls_gather = true;          ///< AG and RS know NVLS
  double pat_share = .75;           ///< 0 = NCCL has no PAT
  double collnet_share = 1;         ///< 2.7 to 2.9: x .9
  bool collnet_ll = false;          ///< 2.7 to 2.9: CollNet knows LL (1/6)
  bool collnet_chain = true, collnet_direct = true;
  double collnet_chain_share = 1;            ///< 2.14 to 2.17: x .75
  bool collnet_chain_network = true;         ///< the chain pays a network hop
  double collnet_arity = .4;                 ///< us a peer in CollNet direct
  bool collnet_direct_hopper = true;         ///< x .85 from Hopper on
  bool collnet_gather = true;                ///< AG and RS know CollNet direct
  bool collnet_gather_interpolated = false;  ///< to 2.24: x .95 (1 GPU) .. .85 (8 GPUs)
  bool convert_gather = false;               ///< 2.19 to 2.22: NVLS AG/RS x 5/6 as all-reduce
  int ll128_generations = 4;                 ///< on which LL128 is on by default
  bool ll128_ada = true;                     ///< LL128 also on sm_89
  bool ada_as_volta = false;                 ///< only sm_80 counts as Ampere
  bool mixed_hosts = true;                   ///< hosts of several vendors count as AMD
  bool filter_functions = true;              ///< NCCL_ALGO and NCCL_PROTO may name functions
  bool collnet_hidden = false;  ///< NCCL_ALGO=CollNet alone, without CollNet: ring and tree
  enum class Left : std::uint8_t { error, ring } nothing_left = Left::error;
  bool filter_ring_gather = true;  ///< NCCL_ALGO takes the ring from other operations too
  bool fp8 = true;                 ///< known; deep rings of fp8 come last
  bool nvls_any_gather = true;     ///< AG by NVLS with every type
};

/// Bandwidth of LL128 a channel by operation, before 2.10: one figure for all.
struct OperationCaps {
  double broadcast = 0, reduce = 0, all_gather = 0, reduce_scatter = 0, all_reduce = 0;
};

const TuningLatencies& tuning_latencies(const NcclVersion& version);
const TuningCaps& tuning_caps(const NcclVersion& version);
const TuningRules& tuning_rules(const NcclVersion& version);
/// All zero where NCCL has none.
const OperationCaps& tuning_operation_caps(const NcclVersion& version);
/// Factor on a tree's bandwidth by floor(log2(size / 64 B)); 1 beyond the table, which is one step
/// longer for NVLS-tree.
double tree_correction(const NcclVersion& version, NcclAlgorithm algorithm, std::size_t protocol,
                       std::size_t step);

}  // namespace dsim
