#pragma once
#include "model/strategy/training.h"

namespace dsim {

/// InputError naming the rule that a combination of options breaks.
void check_rules(const TrainingRequest& request);

}  // namespace dsim
