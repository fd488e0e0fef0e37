#pragma once
// From the text of a table's header to a machine. The first rule whose patterns (text_pattern.h)
// all match is taken; no rule: not predictable.
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/validate/collective/stated_run.h"

namespace dsim {

struct MachineRule {
  std::string_view gpu = {};            ///< of the text `gpu`
  std::string_view gpus_per_node = {};  ///< of that number
  std::string_view box = {};            ///< of `intra_link` and `inter_link` together
  std::string_view node = {};           ///< node type of topologies/nodes, or a box of pcie_boxes.h
  std::string_view gpu_name = {};       ///< a row of the GPU table; "" = the node type's own
  std::string_view refusal = {};        ///< not predictable, because ...
  std::string_view source = {};         ///< why this machine
  std::string_view assumption = {};     ///< what the header leaves open; "" = nothing
};
const std::vector<MachineRule>& machine_rules();

/// Throws Unpredictable when no rule applies.
const MachineRule& machine_of(const StatedRun& run);

}  // namespace dsim
