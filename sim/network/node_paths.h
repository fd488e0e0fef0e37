#pragma once
#include <string>

#include "sim/network/node_type.h"

namespace dsim {

/// Fills the paths of a machine by its rules (see prepare); returns a sentence where two devices do
/// not reach each other, else "".
std::string find_paths(NodeType& type);

}  // namespace dsim
