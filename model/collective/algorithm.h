#pragma once
#include <string_view>
#include <vector>

#include "model/collective/communicator.h"
#include "model/collective/schedule.h"

namespace dsim {

/// A way to run a collective: a pure function from a communicator to a Schedule.
/// A new one is a file with such a row and a line in algorithms.cpp.
struct Algorithm {
  std::string_view name;  ///< "ring"
  std::string_view help;
  bool (*supports)(CollectiveOp op);
  Schedule (*plan)(const Communicator& communicator, CollectiveOp op);
};

std::string_view name_of(CollectiveOp op);

/// InputError lists the known algorithms.
const Algorithm& algorithm_by_name(std::string_view name);
std::vector<const Algorithm*> algorithms();

}  // namespace dsim
