#pragma once
// Why NCCL chose: its table and what decided, as text for --explain.
#include <string>

#include "model/collective/nccl/choice.h"

namespace dsim {

/// Every algorithm and protocol with its estimate in us (latency + transfer), the winner, its
/// margin and the term that decided, what was not possible and why, and the sizes at which the
/// choice is another one. Throws InputError as choose_nccl does.
std::string explain_nccl(const NcclGraphs& graphs, const NcclMachine& machine,
                         const NcclSettings& settings, CollectiveOp op, Bytes size, DataType type);

}  // namespace dsim
