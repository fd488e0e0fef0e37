#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// GNMT v2 (Wu et al. 2016, arXiv:1609.08144) as NVIDIA's DeepLearningExamples train it: four LSTM
/// layers each way, the encoder's first bidirectional, normalised additive attention behind the
/// decoder's first.
std::span<const ModelKind> gnmt_kinds();

}  // namespace dsim
