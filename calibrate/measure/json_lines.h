#pragma once
#include <string>

#include "calibrate/measure/device_facts.h"

namespace dsim {

/// One JSON object without a line end. Each says what it is under "kind"; keys carry their units.
std::string json_line(const CudaVersions& versions);
std::string json_line(const DeviceFacts& facts);
std::string json_line(const PeerFacts& facts);

}  // namespace dsim
