#pragma once
#include "calibrate/validate/collective/collectives.h"

namespace dsim {

struct LeaveOneOutOptions {
  double noise = .10;               ///< of a measured time, as a fraction
  double machine_points = 10;       ///< each machine counts as so many independent points
  std::size_t points_per_run = 10;  ///< of a run that are fitted, evenly spread over its sizes
};

/// Fits the constants on all healthy machines but one and predicts that one, for each; a machine is
/// a publisher and a node type, and all weigh the same. Constants move by a factor whose logarithm
/// has the constant's own sigma as prior; setups that hold one value under one name share it.
void leave_one_out(CollectiveValidation& validation, const LeaveOneOutOptions& options = {},
                   const CollectiveProgress& progress = {});

}  // namespace dsim
