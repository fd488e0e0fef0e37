#include "model/collective/report/algorithm_names.h"

#include <array>

namespace dsim {

std::string_view nccl_spelling(std::string_view algorithm) {
  // ncclAlgoStr in NVIDIA/nccl src/init.cc.
  constexpr std::array<std::array<std::string_view, 2>, 7> names{
      {{"ring", "Ring"},
       {"tree", "Tree"},
       {"nvls", "NVLS"},
       {"nvls_tree", "NVLSTree"},
       {"collnet_direct", "CollNetDirect"},
       {"collnet_chain", "CollNetChain"},
       {"pat", "PAT"}}};
  for (const auto& [ours, theirs] : names)
    if (ours == algorithm) return theirs;
  return algorithm;
}

}  // namespace dsim
