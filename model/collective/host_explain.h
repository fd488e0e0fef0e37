#pragma once
// Why a CPU back end runs what it runs, as text for --explain.
#include <span>
#include <string>
#include <string_view>

#include "model/collective/backend.h"
#include "model/collective/host_choice.h"

namespace dsim {

/// Where a back end's rules are written down.
std::string_view host_source(Backend backend);

/// The algorithm, its segments, the rule, and the sizes at which it is another one. For Gloo and
/// MPI; `version` is Open MPI's.
std::string explain_host(Backend backend, const HostCall& call, OpenMpiVersion version = {},
                         bool bcube = false);

/// A line for each size at which another rule holds than at the size before.
std::string explain_host(Backend backend, const HostCall& call, std::span<const Bytes> sizes);

}  // namespace dsim
