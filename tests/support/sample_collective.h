#pragma once
#include "model/collective/report/collective_report.h"

namespace dsim::support {

/// A report made by hand: all_reduce of float over 16 ranks on 2 nodes, 1 KiB in 20 us by LL, 1 MiB
/// in 50 us by LL128, 1 GiB in 4 ms by Simple, each with an interval of 10 % about it.
CollectiveReport sample_collective();

}  // namespace dsim::support
