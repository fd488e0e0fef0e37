#pragma once
#include <string>
#include <vector>

#include "model/collective/predictor.h"

namespace dsim {

struct CollectiveReport;

/// A job beside: "op=all_gather,size=1G,ranks=0-7"; also dtype, root, algorithm, protocol, channels
/// and start (a time). What is missing is as in `setup` and `query`. InputError.
ConcurrentCollective parse_beside(const std::string& text, const CollectiveSetup& setup,
                                  const CollectiveQuery& query);

/// Runs every size of the report again with the others at work, and fills its `beside`.
void run_beside(CollectiveReport& report, const CollectiveSetup& setup,
                const CollectiveQuery& query, const std::vector<ConcurrentCollective>& others);

}  // namespace dsim
