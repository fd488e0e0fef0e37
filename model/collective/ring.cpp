#include <algorithm>

#include "model/collective/algorithm.h"
#include "model/collective/schedule_builder.h"

namespace dsim {

namespace {

// Ranks in a cycle; a node is entered and left on the rail of the channel:
//   node 0: head - . - . - tail  ->  node 1: head - . - . - tail  -> ... -> node 0
// all_reduce: 2(n-1) rounds, all_gather and reduce_scatter: n-1, of one block of n each.
// broadcast: the same chain opened before the root (rank 0), a stream of chunks.
Schedule plan_ring(const Communicator& communicator, CollectiveOp op) {
  const std::uint32_t n = communicator.size();
  const bool stream = op == CollectiveOp::broadcast;
  ScheduleBuilder builder(communicator, stream ? Pattern::stream : Pattern::ring);
  builder.schedule.blocks = stream ? 1 : n;
  builder.schedule.rounds =
      op == CollectiveOp::all_reduce ? 2 * (std::int64_t{n} - 1) : std::int64_t{n} - 1;
  for (const ChannelPath& path : find_channels(communicator)) {
    builder.begin_channel();
    std::vector<std::uint32_t> order;
    for (const auto& node : path.node_orders) order.insert(order.end(), node.begin(), node.end());
    if (stream)  // the root sends first
      std::rotate(order.begin(), std::find(order.begin(), order.end(), 0u), order.end());
    std::vector<std::uint32_t> workers;
    for (const std::uint32_t rank : order) workers.push_back(builder.add_worker(rank));
    for (std::uint32_t i = 0; i + (stream ? 1 : 0) < n && n > 1; ++i)
      builder.connect(workers[i], workers[(i + 1) % n]);
  }
  return builder.finish();
}

}  // namespace

extern const Algorithm ring_algorithm;
const Algorithm ring_algorithm{"ring", "bandwidth-optimal pipeline around a cycle of all ranks",
                               [](CollectiveOp) { return true; }, plan_ring};

}  // namespace dsim
