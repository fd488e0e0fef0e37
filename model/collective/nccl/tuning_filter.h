#pragma once
// NCCL_ALGO and NCCL_PROTO: lists of what may be used, "ring,tree" or "^nvls", since 2.24 also
// "ring;allreduce:tree,ring" (NVIDIA/nccl src/graph/tuning.cc parseList).
#include <cstdint>

#include "model/collective/nccl/settings.h"
#include "model/collective/nccl/tuning_tables.h"
#include "model/collective/protocol.h"
#include "model/workload/program.h"

namespace dsim {

/// What the two lists leave for one operation.
struct TuningFilter {
  std::uint8_t algorithms = 0xff, protocols = 0xff;  ///< bits by enum
  bool algorithms_given = false, protocols_given = false;

  bool has(NcclAlgorithm a) const { return (algorithms >> static_cast<int>(a) & 1) != 0; }
  bool has(Protocol p) const { return (protocols >> static_cast<int>(p) & 1) != 0; }
};

/// Throws InputError for a name that the version does not know, with the nearest.
TuningFilter tuning_filter(const NcclSettings& settings, CollectiveOp op);

/// First release of NCCL that has an algorithm; {} for those of all versions.
NcclVersion first_version(NcclAlgorithm algorithm);

}  // namespace dsim
