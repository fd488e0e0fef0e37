#pragma once
#include <cstdint>

#include "model/collective/nccl/settings.h"
#include "model/collective/protocol.h"
#include "model/collective/schedule.h"
#include "model/compute/gpu.h"

namespace dsim {

/// How the bytes of one call are cut. All messages of a call have the same size.
struct Granularity {
  std::uint32_t channels = 1;  ///< channels used, <= Schedule::channels
  std::int64_t messages = 0;   ///< on every connection
  std::int64_t loops = 1;      ///< ring only
  double message_bytes = 0;    ///< of data
  int slices = 1;              ///< a message moves in this many slices
  double channel_bytes() const { return static_cast<double>(messages) * message_bytes; }
};

/// What a user may limit.
struct GranularityLimits {
  std::uint32_t channels = 0;          ///< at most; 0 = all of the schedule
  std::int64_t buffer_size = 4 << 20;  ///< NCCL_BUFFSIZE, of Simple
  bool blackwell = false;              ///< sm100: NVLS-tree's chunks are larger
};

/// Those of NCCL's settings; `channels` as above.
GranularityLimits granularity_limits(const NcclSettings& settings, Architecture architecture,
                                     std::uint32_t channels = 0);

/// How NCCL cuts a call (NVIDIA/nccl src/enqueue.cc, src/include/device.h): bytes that make a
/// channel worth opening, chunk and slice sizes of the protocol and kernel. Not for
/// Pattern::rounds.
Granularity granularity(const Schedule& schedule, Bytes size, Protocol protocol,
                        const GranularityLimits& limits = {});

}  // namespace dsim
