#pragma once
// Sizes at which NCCL changes its mind: seen in measured tables as kinks, predicted as changes of
// algorithm or protocol.
#include <string>
#include <vector>

#include "calibrate/validate/collective/collectives.h"

namespace dsim {

/// A kink between two sizes of a table that lie a factor of two apart.
struct SwitchSize {
  std::string run = {};
  std::int64_t bytes = 0;      ///< first size after the kink
  bool falls = false;          ///< the time falls while the size doubles; else it jumps
  std::int64_t predicted = 0;  ///< first size after the nearest predicted change; 0: there is none
  std::string change = {};     ///< "tree LL to nvls_tree Simple"
  double octaves = 0;          ///< |log2(predicted / bytes)|

  bool met() const { return predicted > 0 && octaves <= 1; }
};

/// Kinks of the healthy runs where nothing was forced: the time falls by 5 % or more, or its ratio
/// between neighbours exceeds both adjacent ratios by a quarter.
std::vector<SwitchSize> switch_sizes(const CollectiveValidation& validation);

}  // namespace dsim
