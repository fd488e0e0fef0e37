#pragma once
#include <cstdint>
#include <vector>

#include "model/collective/schedule_builder.h"

namespace dsim {

/// Connects two workers of a head so that a byte loads the NVLinks of all `ranks` of its node, up
/// to the switch and down from it: a reduction in the switch and its multicast.
void connect_star(ScheduleBuilder& builder, const Communicator& communicator,
                  const std::vector<std::uint32_t>& ranks, std::uint32_t from_worker,
                  std::uint32_t to_worker);

}  // namespace dsim
