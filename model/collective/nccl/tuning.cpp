#include "model/collective/nccl/tuning.h"

#include <algorithm>
#include <bit>

namespace dsim {

namespace {

// GB/s that a tree carried in total in 2.7: on one or two nodes, on more (LL128 on Ampere apart).
constexpr double tree_total_few = 110, tree_total_many = 80;
constexpr double tree_total_few_ll128 = 130, tree_total_many_ll128 = 105;

bool is_gather(CollectiveOp op) {
  return op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
}

int log2_floor(std::uint32_t n) { return n < 2 ? 0 : std::bit_width(n) - 1; }

bool is_collnet(NcclAlgorithm a) {
  return a == NcclAlgorithm::collnet_direct || a == NcclAlgorithm::collnet_chain;
}

bool is_nvls(NcclAlgorithm a) { return a == NcclAlgorithm::nvls || a == NcclAlgorithm::nvls_tree; }

double least(double value, double cap) { return cap > 0 ? std::min(value, cap) : value; }

double operation_cap(const TuningCase& c, double otherwise) {
  const OperationCaps& caps = tuning_operation_caps(c.version);
  if (caps.all_reduce <= 0) return otherwise;
  switch (c.op) {
    case CollectiveOp::broadcast:
      return caps.broadcast;
    case CollectiveOp::reduce:
      return caps.reduce;
    case CollectiveOp::all_gather:
      return caps.all_gather;
    case CollectiveOp::reduce_scatter:
      return caps.reduce_scatter;
    default:
      return caps.all_reduce;
  }
}

double ll_cap(const TuningCase& c) {
  if (c.nodes == 0) return c.caps.ll[c.generation][0];
  const std::string& cpu = c.machine.cpu_vendor;
  const bool amd = cpu == "amd" || (cpu == "mixed" && c.rules.mixed_hosts);
  return c.caps.ll[amd ? 1 : 0][c.nodes];
}

double ring_bandwidth(const TuningCase& c, Protocol protocol, double bus, double channels) {
  if (protocol == Protocol::ll) {
    const bool quarter =
        c.machine.nodes > 1 || c.op == CollectiveOp::all_reduce || c.op == CollectiveOp::reduce;
    const double share = c.rules.ring_ll_half ? .5 : quarter ? 1.0 / 4 : 1.0 / 3;
    return least(bus * share, c.rules.ring_ll_capped ? ll_cap(c) : 0);
  }
  if (protocol == Protocol::ll128) {
    const double share = c.rules.lone_gpu_share && c.per_node < 2 ? .7 : .92;
    return std::min(bus * share,
                    channels * operation_cap(c, c.caps.ring_ll128[c.generation][c.nodes]));
  }
  return bus;
}

double tree_bandwidth(const TuningCase& c, Protocol protocol, double bus, double channels) {
  if (c.rules.tree_totals) {
    const bool many = c.machine.nodes > 2;
    const bool ampere_ll128 = protocol == Protocol::ll128 && c.generation == 1;
    const double cap = ampere_ll128 ? (many ? tree_total_many_ll128 : tree_total_few_ll128)
                                    : (many ? tree_total_many : tree_total_few);
    bus = std::min(bus * c.rules.tree_share, cap);
  } else {
    bus = std::min(bus * c.rules.tree_share, channels * c.caps.tree[c.generation][c.nodes]);
  }
  if (protocol == Protocol::ll) bus = least(bus / 3.8, c.rules.ring_ll_capped ? ll_cap(c) : 0);
  if (protocol == Protocol::ll128) {
    const double share = c.machine.nodes == 1 ? 7.0 / 9 : c.rules.tree_ll128_share;
    const double cap = operation_cap(c, c.caps.tree_ll128[c.generation][c.nodes]) *
                       (c.rules.tree_totals ? 7.0 / 9 : 1);
    bus = std::min(bus * share, channels * cap);
  }
  if (c.rules.tree_pattern && c.graphs.tree.tree_pattern) bus *= .85;
  return bus;
}

// GB/s of one channel.
double nvls_channel(const TuningCase& c, NcclAlgorithm algorithm, const NcclGraph& graph) {
  const bool tree = algorithm == NcclAlgorithm::nvls_tree, few = c.machine.nodes <= 2;
  switch (c.rules.nvls) {
    case NvlsRule::slower_side:
      if (tree) return std::min(graph.bw_intra, few ? graph.bw_inter : graph.bw_inter / 2);
      if (is_gather(c.op) && c.rules.nvls_gather_slower)
        return std::min(graph.bw_intra * (c.per_node - 1) / c.per_node, graph.bw_inter * .9);
      return std::min(graph.bw_intra, graph.bw_inter);
    case NvlsRule::efficiency: {
      // nvlsEfficiency: Hopper .85, Blackwell .74, none before.
      const double efficiency = c.generation == 3 ? .74 : c.generation == 2 ? .85 : 0;
      const double channels = graph.channels;
      const double intra = graph.bw_intra * efficiency * (channels - 1) / channels *
                           (is_gather(c.op) ? (c.per_node - 1) / c.per_node : 2);
      const double inter = graph.bw_inter * (tree && few ? 2 : 1);
      const double cap = tree ? c.caps.nvls_tree[c.generation][c.nodes] : 0;
      return least(std::min(intra, inter), cap);
    }
    default:
      return few ? graph.bw_intra : graph.bw_inter;
  }
}

double collnet_direct_bandwidth(const TuningCase& c, double bus, const NcclGraph& graph) {
  if (is_gather(c.op)) {
    if (!c.rules.collnet_gather_interpolated)
      return c.per_node * std::min(graph.bw_intra, graph.bw_inter * .9);
    const double eight = (c.per_node - 1) / 7;
    return c.per_node * graph.bw_intra * (eight * .85 + (1 - eight) * .95);
  }
  if (!c.rules.collnet_chain) return bus;       // 2.10 to 2.12
  double factor = c.per_node / graph.channels;  // GPUs a NIC
  factor -= (factor - 1) / 2;
  bus /= factor;
  return c.generation >= 2 && c.rules.collnet_direct_hopper ? bus * .85 : bus;
}

// RCCL: a share of the graph a protocol; small broadcasts of LL are faster on MI300.
double rccl_bandwidth(const TuningCase& c, NcclAlgorithm algorithm, Protocol protocol, double bus) {
  const std::size_t row = c.machine.nodes <= 2 ? 0 : 1;
  const auto p = static_cast<std::size_t>(protocol);
  if (algorithm == NcclAlgorithm::tree) return bus * c.rccl->tree_share[row][p];
  if (algorithm != NcclAlgorithm::ring) return bus;
  const bool rooted = c.op == CollectiveOp::broadcast || c.op == CollectiveOp::reduce;
  const bool boosted = c.machine.architecture == Architecture::cdna3 && rooted &&
                       protocol == Protocol::ll && c.machine.nodes == 1;
  return bus * c.rccl->ring_share[row][p] * (boosted ? 1.65 : 1);
}

// Share of the bus bandwidth that is algorithm bandwidth.
double algorithm_share(const TuningCase& c, NcclAlgorithm algorithm) {
  const double ring = static_cast<double>(c.machine.ranks) / c.steps;
  if (algorithm == NcclAlgorithm::ring) return ring;
  if (is_gather(c.op) && (!c.rules.convert_gather || is_collnet(algorithm)) &&
      c.rules.nvls != NvlsRule::ring_graph)
    return 1;
  if (!is_nvls(algorithm)) return .5;
  switch (c.rules.nvls) {
    case NvlsRule::ring_graph:
      return .75;
    case NvlsRule::own_graph:
      if (algorithm == NcclAlgorithm::nvls_tree)
        return .7 * c.machine.nodes / (2.0 * (c.machine.nodes - 1));
      return 5.0 / 6;
    case NvlsRule::slower_side:
      return 5.0 / 6;
    default:
      return ring;
  }
}

}  // namespace

std::string_view name_of(NcclAlgorithm algorithm) {
  constexpr std::array<std::string_view, nccl_algorithm_count> names = {
      "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
  return names.at(static_cast<std::size_t>(algorithm));
}

TuningCase tuning_case(const NcclGraphs& graphs, const NcclMachine& machine,
                       const NcclVersion& version, CollectiveOp op) {
  const TuningRules& rules = tuning_rules(version);
  std::size_t generation = 0;
  switch (machine.architecture) {
    case Architecture::kepler:
    case Architecture::pascal:
    case Architecture::volta:
    case Architecture::turing:
    case Architecture::cdna2:  // RCCL does not look at these caps
    case Architecture::cdna3:
      break;
    case Architecture::ampere:
      generation = 1;
      break;
    case Architecture::ada:
      generation = rules.ada_as_volta ? 0 : 1;
      break;
    case Architecture::hopper:
      generation = 2;
      break;
    case Architecture::blackwell:
      generation = 3;
      break;
  }
  const RcclModel* rccl = rccl_model(machine.architecture);
  const int ranks = static_cast<int>(machine.ranks), nodes = static_cast<int>(machine.nodes);
  const int steps = op == CollectiveOp::all_reduce ? 2 * (ranks - 1)
                    : is_gather(op)                ? ranks - 1
                                                   : ranks;
  return {graphs,
          machine,
          op,
          version,
          rccl != nullptr ? rccl->latencies : tuning_latencies(version),
          tuning_caps(version),
          rules,
          rccl,
          generation,
          static_cast<std::size_t>(std::min(nodes, 3) - 1),
          static_cast<double>(ranks) / nodes,
          ranks / nodes,
          steps};
}

const NcclGraph& graph_of(const TuningCase& c, NcclAlgorithm algorithm) {
  switch (algorithm) {
    case NcclAlgorithm::tree:
    case NcclAlgorithm::pat:
      return c.graphs.tree;
    case NcclAlgorithm::collnet_direct:
      return c.graphs.collnet_direct;
    case NcclAlgorithm::collnet_chain:
      return c.graphs.collnet_chain;
    case NcclAlgorithm::nvls:
      return c.rules.nvls == NvlsRule::ring_graph ? c.graphs.ring : c.graphs.nvls;
    case NcclAlgorithm::nvls_tree:
      return c.graphs.nvls;
    default:
      return c.graphs.ring;
  }
}

double tuning_bandwidth(const TuningCase& c, NcclAlgorithm algorithm, Protocol protocol) {
  const NcclGraph& graph = graph_of(c, algorithm);
  const double channels = graph.channels;
  const bool inside = c.machine.nodes <= 2 || is_collnet(algorithm);
  double bus = channels * (is_nvls(algorithm) ? nvls_channel(c, algorithm, graph)
                           : inside           ? graph.bw_intra
                                              : graph.bw_inter);
  if (c.rccl != nullptr)
    return rccl_bandwidth(c, algorithm, protocol, bus) * algorithm_share(c, algorithm);
  if (c.generation == 1) bus = least(bus, c.rules.total_cap_ampere);
  if (c.generation >= 2) bus = least(bus, c.rules.total_cap_hopper);
  switch (algorithm) {
    case NcclAlgorithm::ring:
      bus = ring_bandwidth(c, protocol, bus, channels);
      break;
    case NcclAlgorithm::tree:
      bus = tree_bandwidth(c, protocol, bus, channels);
      break;
    case NcclAlgorithm::collnet_direct:
      bus = collnet_direct_bandwidth(c, bus, graph);
      break;
    case NcclAlgorithm::collnet_chain:
      bus *= c.rules.collnet_chain_share * c.rules.collnet_share;
      if (protocol == Protocol::ll) bus /= 6;
      break;
    case NcclAlgorithm::pat:
      bus *= c.rules.pat_share;
      break;
    default:
      break;
  }
  return bus * algorithm_share(c, algorithm);
}

double tuning_latency(const TuningCase& c, NcclAlgorithm algorithm, Protocol protocol) {
  const auto a = static_cast<std::size_t>(algorithm), p = static_cast<std::size_t>(protocol);
  constexpr auto tree = static_cast<std::size_t>(NcclAlgorithm::tree);
  const TuningLatencies& l = c.latencies;
  const NcclGraph& graph = graph_of(c, algorithm);
  const bool simple = protocol == Protocol::simple, several = c.machine.nodes > 1;
  double base = l.base[a][p];
  double intra = (graph.nvlink ? l.nvlink : l.pcie)[a][p];
  if (c.rules.power_tree && !graph.nvlink && algorithm == NcclAlgorithm::tree && simple &&
      c.machine.cpu_vendor == "ibm")
    intra = l.pcie[static_cast<std::size_t>(NcclAlgorithm::ring)][p];
  if (c.rules.slow_ll_inside && several && protocol == Protocol::ll) intra *= 1.8;
  const bool lone = c.rules.lone_gpu_tree_latency && c.machine.ranks == c.machine.nodes;
  double inter = l.network[lone ? tree : a][p];
  const double nic = c.rules.nic_latency ? c.machine.nic_latency_us : 0;
  if (c.rules.nic_latency_added)
    inter += simple ? 2 * nic : nic;
  else if (nic > 0)
    inter = nic;
  const int nodes = static_cast<int>(c.machine.nodes);
  const double depth = log2_floor(c.machine.nodes);
  switch (algorithm) {
    case NcclAlgorithm::ring: {
      if (c.op == CollectiveOp::broadcast || c.op == CollectiveOp::reduce) {
        const auto& hop = several ? l.network : graph.nvlink ? l.nvlink : l.pcie;
        if (graph.same_channels) return base + hop[a][p];
        return base + c.steps * hop[simple ? tree : a][p];
      }
      if (several && c.rules.post_overhead) {
        // NCCL_NET_OVERHEAD: 2 us on AMD hosts, 1 us on others, three posts for Simple.
        const double post = c.machine.cpu_vendor == "amd" ? 2.0 : 1.0;
        intra = std::max(intra, simple ? 3 * post : post);
      }
      const int hops = !several                           ? 0
                       : c.op != CollectiveOp::all_reduce ? nodes - 1
                       : c.rules.two_n_hops               ? 2 * nodes
                                                          : 2 * (nodes - 1);
      return base + (c.steps - hops) * intra + hops * inter;
    }
    case NcclAlgorithm::tree:
      return base + 2 * ((c.local - 1) * intra + depth * inter);
    case NcclAlgorithm::collnet_direct:
      return base + 2 * (std::min(1, c.local - 1) * intra + (c.local - 1) * c.rules.collnet_arity) +
             inter;
    case NcclAlgorithm::collnet_chain:
      return base + 2 * (c.local - 1) * intra + (c.rules.collnet_chain_network ? inter : 0);
    case NcclAlgorithm::nvls:
      return base + intra + (several ? inter : 0);
    case NcclAlgorithm::nvls_tree:
      if (c.rules.nvls == NvlsRule::own_graph) return base + 2 * (nodes - 1) * l.network[a][p];
      return base + intra + 2 * depth * inter;
    case NcclAlgorithm::pat:
      return base + depth * inter / 3.5 + c.machine.ranks * 2.8;
  }
  return base;
}

SizeFactors size_factors(const TuningCase& c, NcclAlgorithm algorithm, Protocol protocol,
                         Bytes size) {
  SizeFactors factors;
  if (c.rccl != nullptr) {
    const bool ring = algorithm == NcclAlgorithm::ring && c.machine.nodes > 1;
    if (!ring && algorithm != NcclAlgorithm::tree) return factors;
    const auto& table = ring ? c.rccl->ring_correction : c.rccl->tree_correction;
    const auto& row = table[static_cast<std::size_t>(protocol)];
    const auto lines = static_cast<std::uint64_t>(std::max<std::int64_t>(1, size.count >> 6));
    factors.bandwidth =
        row[std::min(row.size() - 1, static_cast<std::size_t>(std::bit_width(lines) - 1))];
    return factors;
  }
  if (c.op != CollectiveOp::all_reduce) return factors;
  const std::int64_t bytes = size.count, lines = bytes >> 6;
  const bool corrected =
      algorithm == NcclAlgorithm::tree ||
      (algorithm == NcclAlgorithm::nvls_tree && c.rules.nvls_tree_corrected && c.generation == 3 &&
       (c.machine.cpu_vendor == "intel" || c.machine.cpu_vendor == "amd"));
  if (corrected && (lines > 0 || c.rules.small_tree_corrected)) {
    const auto step = lines < 2 ? 0 : std::bit_width(static_cast<std::uint64_t>(lines)) - 1;
    factors.bandwidth = tree_correction(c.version, algorithm, static_cast<std::size_t>(protocol),
                                        static_cast<std::size_t>(step));
  }
  if (algorithm == NcclAlgorithm::ring && protocol == Protocol::simple && c.machine.nodes > 1) {
    const std::int64_t ranks = c.machine.ranks, channels = std::max(1, c.graphs.channels);
    const bool flat =
        c.rules.plateau_by_channel ? bytes / (channels * ranks) >= 64 : bytes >= ranks * 4096;
    const bool newer = static_cast<int>(c.generation) >= c.rules.plateau_new_from;
    if (flat) factors.latency = newer ? c.rules.plateau_new : c.rules.plateau_old;
  }
  return factors;
}

}  // namespace dsim
