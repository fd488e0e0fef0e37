#pragma once
// What the stages of ZeRO share: groups, buckets of gradients, and the update of a partition.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/strategy/step_writer.h"

namespace dsim {

/// Parameters that the same ranks share: dense ones, and experts where other ranks hold the same.
struct ZeroGroup {
  FamilyId family;  ///< invalid: one rank
  std::uint32_t ranks = 1;
  std::uint8_t stream = communication_stream;
  std::int64_t elements = 0;
  std::int64_t padded = 0;  ///< to a multiple of the ranks
  std::int64_t owned() const { return padded / ranks; }
  std::string of;  ///< " experts" in names of the trace
};

/// groups[0] dense, groups[1] experts, which may be empty.
using ZeroGroups = std::array<ZeroGroup, 2>;
ZeroGroups zero_groups(StepWriter& writer);
std::size_t zero_group_of(const ZeroGroups& groups, const Parameter& parameter);

/// Rates of the optimizer in host memory.
struct OffloadConstants {
  Constant cpu_adam;  ///< parameters/s of a node
  Constant pcie;      ///< B/s a GPU, where the topology does not say
};
OffloadConstants built_in_offload_constants();

/// Norm of the gradients, unscaling, and the step over the rank's partition: on the GPU, or on the
/// CPU with copies to and from it.
void zero_update(StepWriter& writer, const ZeroGroups& groups);

}  // namespace dsim
