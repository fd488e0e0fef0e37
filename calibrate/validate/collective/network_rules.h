#pragma once
// From the text `inter_link` to NICs. The first rule that matches is taken.
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/validate/collective/stated_run.h"

namespace dsim {

struct NetworkRule {
  std::string_view link = {};        ///< pattern of `inter_link`
  std::string_view gpu = {};         ///< pattern of `gpu`
  std::string_view kind = {};        ///< of topology files; "" = as the node type says
  int count = 0;                     ///< NICs a node; 0 = as the node type says
  int gigabits = 0;                  ///< a NIC, Gb/s; 0 = as the node type says
  bool sockets = false;              ///< NCCL's socket transport over these NICs
  std::string_view fabric = {};      ///< "" = one switch, rails beyond two nodes
  std::string_view assumption = {};  ///< what the header leaves open; "" = nothing
  std::string_view refusal = {};     ///< not predictable, because ...
};
const std::vector<NetworkRule>& network_rules();

/// Throws Unpredictable when no rule applies. Runs of one node need none.
const NetworkRule& network_of(const StatedRun& run);

}  // namespace dsim
