#pragma once
#include <cstdint>

#include "model/collective/schedule.h"

namespace dsim {

/// How the bytes of one call are cut. All messages of a call have the same size.
struct Granularity {
  std::uint32_t channels = 1;  ///< channels used, <= Schedule::channels
  std::int64_t messages = 0;   ///< on every connection
  std::int64_t loops = 1;      ///< ring only
  double message_bytes = 0;
  int slices = 1;  ///< a message moves in this many slices
  double channel_bytes() const { return static_cast<double>(messages) * message_bytes; }
};

/// NCCL's Simple protocol: at least 32 KiB a channel and block; ring chunks up to 2 MiB in two
/// slices, stream chunks up to 512 KiB in one (NVIDIA/nccl enqueue.cc, collectives.h).
Granularity granularity(const Schedule& schedule, Bytes size);

}  // namespace dsim
