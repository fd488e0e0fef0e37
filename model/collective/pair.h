#pragma once
#include "model/collective/algorithm.h"

namespace dsim {

/// One GPU sends to another, as between the stages of a pipeline: NCCL's send and receive. Not in
/// the table of algorithms, because nobody chooses it.
extern const Algorithm pair_algorithm;

}  // namespace dsim
