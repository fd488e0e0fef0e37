#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "model/strategy/training.h"

namespace dsim {

/// Times runs of kernels with the BlockTimer of a request; runs of equal work on the same stage are
/// timed once.
class BlockTimes {
 public:
  explicit BlockTimes(const TrainingRequest& request) : request_(request) {}

  BlockTime time(std::span<const Kernel> kernels, Phase phase, std::uint32_t stage);
  std::size_t timed() const { return known_.size(); }  ///< calls of the BlockTimer so far

 private:
  const TrainingRequest& request_;
  std::map<std::vector<double>, BlockTime> known_;
};

/// One run after the other.
BlockTime operator+(const BlockTime& a, const BlockTime& b);

}  // namespace dsim
