#include "model/collective/pair.h"

#include <algorithm>

#include "model/collective/schedule_builder.h"

namespace dsim {

namespace {

// NCCL_STEPS slices of a channel's FIFO follow each other: a stream of one hop on every channel
// that NCCL gives a peer.
Schedule plan_pair(const PlanRequest& request) {
  ScheduleBuilder builder(*request.communicator, Pattern::stream);
  builder.schedule.mechanics = Mechanics::chain;
  builder.schedule.blocks = 1;
  const int channels = request.nccl == nullptr ? 1 : request.nccl->p2p_channels_per_peer;
  for (int channel = 0; channel < std::max(1, channels); ++channel) {
    builder.begin_channel();
    const std::uint32_t from = builder.add_worker(0);
    const std::uint32_t to = builder.add_worker(1);
    builder.connect(from, to);
  }
  return builder.finish();
}

}  // namespace

const Algorithm pair_algorithm{
    "p2p", "one GPU sends to another",
    [](CollectiveOp op) { return op == CollectiveOp::sendrecv; }, plan_pair,
    [](const PlanRequest& request) {
      return std::string(request.communicator->size() == 2 ? "" : "two ranks are a pair");
    }};

}  // namespace dsim
