#pragma once
// Why a CPU back end runs what it runs, as text for --explain.
#include <string>

#include "model/collective/backend.h"
#include "model/collective/host_choice.h"

namespace dsim {

/// The algorithm, its segments, the rule, and the sizes at which it is another one. For Gloo and
/// MPI; `version` is Open MPI's.
std::string explain_host(Backend backend, const HostCall& call, OpenMpiVersion version = {},
                         bool bcube = false);

}  // namespace dsim
