#pragma once
#include <optional>

#include "model/collective/algorithm.h"
#include "model/collective/nccl/choice.h"

namespace dsim {

/// The protocol of an algorithm that somebody forces: the given one, else the one with NCCL's least
/// estimate for that algorithm, Simple where it has none. Throws InputError if the algorithm lacks
/// the given one.
Protocol protocol_of_forced(const Algorithm& algorithm, std::optional<Protocol> given,
                            const NcclChoice& choice);

}  // namespace dsim
