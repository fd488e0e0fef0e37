#pragma once
#include <string>

#include "model/collective/algorithm.h"

namespace dsim {

/// All-to-all in which every byte goes straight to its rank: to one peer a round (i to i + r in
/// round r, its own part first) or to all at once. Parts may be unequal (PlanRequest::counts;
/// shares are of PlanRequest::size).
RoundProgram all_to_all_program(const PlanRequest& request, bool one_peer_a_round);

/// What is wrong with PlanRequest::counts, or "".
std::string counts_unfit(const PlanRequest& request);
/// The same for an algorithm whose parts must be equal.
std::string unequal_unfit(const PlanRequest& request, std::string_view algorithm);

}  // namespace dsim
