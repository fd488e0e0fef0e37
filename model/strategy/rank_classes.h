#pragma once
#include <vector>

#include "model/strategy/parallelism.h"
#include "model/strategy/training.h"

namespace dsim {

/// Classes of ranks that run alike: one for each pipeline stage and straggler factor, normal ranks
/// of a stage first. `program` is the stage. InputError: a straggler that does not exist, is given
/// twice or has no factor above 0.
std::vector<RankClass> rank_classes(const TrainingRequest& request, const RankGrid& grid);

}  // namespace dsim
