#pragma once
#include "model/strategy/training.h"

namespace dsim {

/// B/s of a copy between a GPU and pinned host memory: that of the micro-batch's copy.
double host_copy_rate(const TrainingRequest& request);

}  // namespace dsim
