#include <algorithm>
#include <cmath>

#include "model/collective/granularity.h"

namespace dsim {

namespace {
constexpr double least_channel_bytes = 32 << 10;  // of traffic, so that a channel is worth opening
constexpr double ring_chunk = 2 << 20;            // chunkSteps 4 x step 512 KiB
constexpr double stream_chunk = 512 << 10;        // chunkSteps 1
constexpr double least_slice = 32 << 10;          // shorter chunks are not cut
}  // namespace

Granularity granularity(const Schedule& schedule, Bytes size) {
  Granularity g;
  const double bytes = std::max(1.0, static_cast<double>(size.count));
  g.channels = static_cast<std::uint32_t>(std::clamp(std::floor(bytes / least_channel_bytes), 1.0,
                                                     static_cast<double>(schedule.channels)));
  const double block = bytes / g.channels / static_cast<double>(schedule.blocks);
  if (schedule.pattern == Pattern::ring) {
    g.loops = static_cast<std::int64_t>(std::max(1.0, std::ceil(block / ring_chunk)));
    g.messages = schedule.rounds * g.loops;
    g.message_bytes = block / static_cast<double>(g.loops);
    g.slices = g.message_bytes > least_slice ? 2 : 1;
  } else {
    g.messages = static_cast<std::int64_t>(std::max(1.0, std::ceil(block / stream_chunk)));
    g.message_bytes = block / static_cast<double>(g.messages);
  }
  return g;
}

}  // namespace dsim
