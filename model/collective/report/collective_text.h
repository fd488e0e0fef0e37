#pragma once
#include <string>

#include "model/collective/report/collective_report.h"

namespace dsim {

/// What was simulated, in lines that begin with #.
std::string collective_heading(const CollectiveReport& report);

/// The heading and nccl-tests' own table (columns of 2.13 to 2.16) with ours behind it: interval,
/// algorithm, protocol, channels, bottleneck. Lines that are no rows begin with #.
std::string collective_table(const CollectiveReport& report);

/// Closing lines: average, what the busbw stands against, jobs beside, extrapolations, inputs.
std::string collective_closing(const CollectiveReport& report);

/// A line a size: "1M  27.4 us  38.3 GB/s  Tree/LL128".
std::string collective_lines(const CollectiveReport& report);

/// NCCL's estimates, a line a size, and where the choice switches. (explain_nccl has all of them
/// for one size.)
std::string choice_text(const CollectiveReport& report);

}  // namespace dsim
