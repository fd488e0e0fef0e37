#pragma once
#include <filesystem>

#include "sim/base/json.h"
#include "sim/network/node_type.h"

namespace dsim {

/// Reads a machine (format dsim.node/1), checked and with sound links but not yet prepared, so that
/// its NICs can still be changed. Throws InputError with all its faults.
NodeType read_node_type(const json::Value& root);

/// Reads "gpu", "cpu" and "title" into `type`.
void read_hardware(json::ObjectReader& reader, NodeType& type);

/// prepare(), failing at `place` where GPUs or NICs do not reach each other.
void prepare_or_fail(NodeType& type, const json::Value& place);

}  // namespace dsim
