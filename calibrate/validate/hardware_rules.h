#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/validate/row_inputs.h"
#include "sim/network/topology.h"

namespace dsim {

/// From the text of the columns to a node type. The first rule whose patterns (text_pattern.h) all
/// match is taken; no rule: the row is not predictable.
struct NodeRule {
  std::string_view gpu;                 ///< of the column `gpu`
  std::string_view gpus_per_node = {};  ///< of that column
  std::string_view box = {};            ///< of `intra_link`, `notes` and `gpu` together
  std::string_view node = {};           ///< a node type of topologies/nodes
  std::string_view gpu_name = {};  ///< a row of the GPU table; "" = the node type's own
  int gpus = 8;                    ///< of the node type
  std::string_view assumption = {};  ///< what the row does not say of its box
  std::string_view refusal = {};     ///< why nothing can be said; instead of a node
  std::string_view source = {};
};
const std::vector<NodeRule>& node_rules();

/// NICs from the text of `inter_link`. Zero: not stated.
struct LinkRule {
  std::string_view link;
  int nics;      ///< a node
  int gigabits;  ///< a NIC, Gb/s
};
const std::vector<LinkRule>& link_rules();

/// What a row says of its machine. `nodes` whole nodes, or a part of one.
struct Hardware {
  std::string_view node = {};      ///< node type
  std::string_view gpu_name = {};  ///< GPU, "" = the node type's own
  std::int64_t gpus = 1, nodes = 1;
  std::int64_t gpus_per_node = 8;  ///< that the job uses; a node may have more
  std::int64_t node_gpus = 8;      ///< that a node has
  int nics = 0, gigabits = 0;      ///< a node; 0: those of the node type
  std::string assumption{};
};

/// Throws Unpredictable (hardware) when no rule applies.
Hardware hardware_of(const RowInputs& row);

/// The same as a topology file (format dsim.topology/1): whole nodes behind a network that is never
/// the bottleneck, one switch for two nodes and rail-optimised beyond, NICs as stated.
std::string topology_text(const Hardware& hardware);

/// The GPUs a job on this hardware runs on. InputError if the node type is not shipped.
std::shared_ptr<const Topology> build_topology(const Hardware& hardware);
/// Those of them that a job takes where it leaves some of each node idle; empty = all.
std::vector<std::uint32_t> ranks_of(const Hardware& hardware);

}  // namespace dsim
