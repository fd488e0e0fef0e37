#include "model/collective/nccl/tuning_limits.h"

namespace dsim {

namespace {

// NCCL_MAX_DIRECT_ARITY + 1, NCCL_MAX_NVLS_ARITY (NVIDIA/nccl src/include/device.h).
constexpr int collnet_most_local = 8, nvls_most_local = 32;

bool is_gather(CollectiveOp op) {
  return op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
}

bool collnet_on(const TuningCase& c, const NcclSettings& settings, NcclAlgorithm algorithm) {
  return settings.collnet_enable.value_or(false) && c.machine.nodes > 1 &&
         graph_of(c, algorithm).channels > 0;
}

std::string_view nvls_limit(const TuningCase& c, const NcclSettings& settings, DataType type,
                            bool tree) {
  const bool gathers = is_gather(c.op);
  if (tree && c.op != CollectiveOp::all_reduce) return "NVLS-tree runs all_reduce only";
  if (!tree && c.op != CollectiveOp::all_reduce && !(gathers && c.rules.nvls_gather))
    return "NVLS does not run this operation";
  if (c.version < first_version(NcclAlgorithm::nvls)) return "NCCL has NVLS from 2.17 on";
  if (tree && c.version < first_version(NcclAlgorithm::nvls_tree))
    return "NCCL has NVLS-tree from 2.18 on";
  if (!settings.nvls_enable.value_or(true)) return "NCCL_NVLS_ENABLE=0";
  if (c.graphs.nvls.channels < 1 || c.generation < 2)
    return "NVLS needs an NVSwitch with multicast and enough GPUs a node";
  if (c.rules.nvls == NvlsRule::efficiency && c.graphs.nvls.channels < 2)
    return "NVLS needs two channels";
  if (tree) {
    if (c.machine.nodes < 2) return "NVLS-tree needs several nodes";
    if (!c.graphs.nvls_tree) return "no NVLS-tree between these nodes";
  } else if (c.machine.nodes > 1) {
    if (c.rules.nvls == NvlsRule::ring_graph) return "NVLS runs inside one node";
    if (!settings.collnet_enable.value_or(false) || c.graphs.collnet_chain.channels < 1)
      return "NVLS on several nodes needs CollNet (SHARP)";
    if (gathers && c.version < NcclVersion{2, 25, 0}) return "NVLS gathers inside one node only";
  }
  if (gathers && c.local > nvls_most_local) return "NVLS gathers on up to 32 GPUs a node";
  if (!nvls_reduces(type) && !(c.op == CollectiveOp::all_gather && c.rules.nvls_any_gather))
    return "NVLS reduces neither 8-bit integers nor fp8";
  return {};
}

std::string_view collnet_limit(const TuningCase& c, const NcclSettings& settings,
                               NcclAlgorithm algorithm) {
  const bool direct = algorithm == NcclAlgorithm::collnet_direct;
  if (c.op != CollectiveOp::all_reduce && !(direct && is_gather(c.op) && c.rules.collnet_gather))
    return "CollNet does not run this operation";
  if (direct ? !c.rules.collnet_direct : !c.rules.collnet_chain)
    return "this version of NCCL knows one kind of CollNet";
  if (c.machine.nodes < 2) return "CollNet needs several nodes";
  if (!settings.collnet_enable.value_or(false))
    return "CollNet (SHARP) is off: NCCL_COLLNET_ENABLE=1";
  if (!collnet_on(c, settings, algorithm))
    return direct ? "CollNet direct needs an NVSwitch and a NIC" : "no CollNet graph";
  if (c.local > collnet_most_local && (direct || c.version >= NcclVersion{2, 28, 0}))
    return "CollNet runs up to 8 GPUs a node";
  return {};
}

}  // namespace

bool nvls_reduces(DataType type) {
  switch (type) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::fp8_e4m3:
    case DataType::fp8_e5m2:
      return false;
    default:
      return true;
  }
}

std::string_view tuning_limit(const TuningCase& c, const NcclSettings& settings, DataType type,
                              NcclAlgorithm algorithm, Protocol protocol) {
  const bool simple = protocol == Protocol::simple;
  switch (algorithm) {
    case NcclAlgorithm::ring:
      return {};
    case NcclAlgorithm::tree:
      if (c.op != CollectiveOp::all_reduce) return "NCCL runs trees for all_reduce only";
      if (c.machine.architecture == Architecture::cdna3 && simple && c.machine.nodes == 1)
        return "RCCL runs no Simple trees inside a node of MI300";
      return c.graphs.tree.channels < 1 ? "no tree graph" : std::string_view{};
    case NcclAlgorithm::collnet_direct:
    case NcclAlgorithm::collnet_chain:
      if (!simple && !(c.rules.collnet_ll && protocol == Protocol::ll))
        return "CollNet uses Simple only";
      return collnet_limit(c, settings, algorithm);
    case NcclAlgorithm::nvls:
    case NcclAlgorithm::nvls_tree:
      if (!simple) return "NVLS uses Simple only";
      return nvls_limit(c, settings, type, algorithm == NcclAlgorithm::nvls_tree);
    case NcclAlgorithm::pat:
      if (!is_gather(c.op)) return "PAT runs all_gather and reduce_scatter only";
      if (!simple) return "PAT uses Simple only";
      if (c.version < first_version(NcclAlgorithm::pat)) return "NCCL has PAT from 2.23 on";
      if (c.rccl != nullptr) return "PAT is off in RCCL";
      if (!c.graphs.pat || c.machine.ranks != c.machine.nodes) return "PAT needs one GPU a node";
      return c.graphs.tree.channels < 1 ? "no tree graph" : std::string_view{};
  }
  return {};
}

std::string_view tuning_filtered(const TuningCase& c, const TuningFilter& filter,
                                 NcclAlgorithm algorithm, Protocol protocol) {
  // Until 2.18 NCCL_ALGO left the ring to the operations that had nothing else.
  const bool spared = algorithm == NcclAlgorithm::ring && c.op != CollectiveOp::all_reduce &&
                      !c.rules.filter_ring_gather;
  if (!filter.has(algorithm) && !spared) return "NCCL_ALGO leaves it out";
  if (!filter.has(protocol)) return "NCCL_PROTO leaves it out";
  if (protocol == Protocol::ll128 && !filter.protocols_given) {
    if (!graph_of(c, algorithm).ll128) return "LL128 is off on these links";
    const Architecture gpu = c.machine.architecture;
    if ((gpu == Architecture::ada || gpu == Architecture::turing) && !c.rules.ll128_ada)
      return "LL128 is off on this GPU before 2.25";
    if (gpu == Architecture::cdna2 || gpu == Architecture::cdna3) return "LL128 is off on this GPU";
    if (static_cast<int>(c.generation) >= c.rules.ll128_generations)
      return "LL128 is off on this GPU in this version";
  }
  return {};
}

}  // namespace dsim
