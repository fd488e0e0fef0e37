#pragma once
#include <string>

#include "model/simulate/report.h"
#include "model/simulate/scaling.h"

namespace dsim {

/// The report as one JSON object of format dsim.report/1 (docs of the keys: README), with a final
/// newline. Units are in the keys; what is not known or not a number is null.
std::string report_json(const Report& report);

/// All points as one object: {"format": "dsim.scale/1", "scaling", "points": [dsim.report/1 ...]};
/// each point has efficiency_to_first beside the keys of a report.
std::string scaling_json(const Scaling& scaling);

}  // namespace dsim
