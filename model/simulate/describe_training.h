#pragma once
#include <string>

#include "model/strategy/options.h"

namespace dsim {

/// How a job is trained, in words: "PyTorch DDP", "Megatron, TP 8 x PP 8 x DP 16, 1F1B". `options`
/// with all degrees filled in.
std::string describe_training(const TrainingOptions& options, std::uint32_t ranks);

}  // namespace dsim
