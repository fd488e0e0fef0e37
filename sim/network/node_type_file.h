#pragma once
#include <filesystem>

#include "sim/base/json.h"
#include "sim/network/node_type.h"

namespace dsim {

/// Reads a machine (format dsim.node/1), checked and with sound links but not yet prepared, so that
/// its NICs can still be changed. Throws InputError with all its faults.
NodeType read_node_type(const json::Value& root);

/// The name of a GPU model; any but "" here, as GPUs are known to the models.
std::string read_gpu(const json::Value& value);
/// "intel", "amd" or "arm".
std::string read_cpu(const json::Value& value);

/// prepare(), failing at `place` where GPUs or NICs do not reach each other.
void prepare_or_fail(NodeType& type, const json::Value& place);

}  // namespace dsim
