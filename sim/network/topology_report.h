#pragma once
#include <string>

#include "sim/network/topology_summary.h"

namespace dsim {

/// For people: at most 30 lines of 80 columns, ends in a newline.
std::string topology_text(const TopologySummary& summary);
/// One JSON object (format dsim.topology-summary/1), ends in a newline. Rates in bytes a second,
/// one direction; latencies in seconds.
std::string topology_json(const TopologySummary& summary);

}  // namespace dsim
