#pragma once
// The orders of each family of pipeline schedules. Arguments have been checked.
#include "model/strategy/pipeline_schedule.h"

namespace dsim::schedules {

/// What a rank does, in order.
using Actions = std::vector<PipelineAction>;

/// All forward passes, then all backward passes.
Actions gpipe(std::int32_t micro_batches);

/// Warm-up of one forward pass per later rank, then forward and backward passes in turn.
Actions one_f_one_b(std::uint32_t ranks, std::uint32_t rank, std::int32_t micro_batches);

/// 1F1B over `chunks` parts a rank, in rounds of `ranks` micro-batches.
Actions interleaved(std::uint32_t ranks, std::uint32_t rank, std::uint32_t chunks,
                    std::int32_t micro_batches);

/// 1F1B whose weight gradients of later ranks are held back to fill the end.
Actions zero_bubble_h1(std::uint32_t ranks, std::uint32_t rank, std::int32_t micro_batches);

/// Two parts a rank, the second half of the network running back over the ranks.
Actions zero_bubble_v(std::uint32_t ranks, std::uint32_t rank, std::int32_t micro_batches);

/// Micro-batches enter at both ends; the second half runs through a second copy of the network.
Actions dual_pipe(std::uint32_t ranks, std::uint32_t rank, std::int32_t micro_batches);

}  // namespace dsim::schedules
