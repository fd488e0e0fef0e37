#include <algorithm>

#include "model/collective/algorithm.h"
#include "model/collective/round_stages.h"
#include "model/collective/schedule_builder.h"

namespace dsim {

namespace {

bool ring_supports(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather ||
         op == CollectiveOp::reduce_scatter || op == CollectiveOp::broadcast ||
         op == CollectiveOp::reduce;
}

// Between CPUs: whole blocks of 1/n go round, n - 1 times to reduce and n - 1 times to gather.
Schedule ring_of_messages(const PlanRequest& request) {
  const std::uint32_t n = request.communicator->size();
  std::vector<Stage> stages;
  if (request.op != CollectiveOp::all_gather) stages.push_back(ring_reduce_scatter(everyone(n)));
  if (request.op != CollectiveOp::reduce_scatter) stages.push_back(ring_all_gather(everyone(n)));
  return rounds_schedule(request, Mechanics::host, in_sequence(n, std::move(stages)));
}

// Ranks in a cycle; a node is entered and left on the rail of the channel:
//   node 0: head - . - . - tail  ->  node 1: head - . - . - tail  -> ... -> node 0
// all_reduce: 2(n-1) rounds, all_gather and reduce_scatter: n-1, of one block of n each.
// broadcast: the same chain opened before the root, a stream of chunks; reduce: opened behind it.
Schedule plan_ring(const PlanRequest& request) {
  if (request.nccl == nullptr) return ring_of_messages(request);
  const std::uint32_t n = request.communicator->size();
  const bool broadcast = request.op == CollectiveOp::broadcast;
  const bool stream = broadcast || request.op == CollectiveOp::reduce;
  ScheduleBuilder builder(*request.communicator, stream ? Pattern::stream : Pattern::ring);
  builder.schedule.mechanics = stream ? Mechanics::chain : Mechanics::ring;
  builder.schedule.blocks = stream ? 1 : n;
  builder.schedule.rounds =
      request.op == CollectiveOp::all_reduce ? 2 * (std::int64_t{n} - 1) : std::int64_t{n} - 1;
  std::vector<std::uint32_t> order, workers;
  for (int channel = 0; channel < request.nccl->channels; ++channel) {
    const ChannelPath& path = request.nccl->ring_path(static_cast<std::uint32_t>(channel));
    builder.begin_channel();
    order.clear();
    for (const auto& node : path.node_orders) order.insert(order.end(), node.begin(), node.end());
    if (stream) {  // broadcast: the root sends first; reduce: it receives last
      const auto root = std::find(order.begin(), order.end(), request.root);
      std::rotate(order.begin(), broadcast ? root : root + 1, order.end());
    }
    workers.clear();
    for (const std::uint32_t rank : order) workers.push_back(builder.add_worker(rank));
    for (std::uint32_t i = 0; i + (stream ? 1 : 0) < n && n > 1; ++i)
      builder.connect(workers[i], workers[(i + 1) % n], path.rail);
  }
  return builder.finish();
}

std::string unfit(const PlanRequest& request) {
  const bool rooted = request.op == CollectiveOp::broadcast || request.op == CollectiveOp::reduce;
  return request.nccl == nullptr && rooted ? "a pipeline along a ring is NCCL's; try binomial" : "";
}

}  // namespace

extern const Algorithm ring_algorithm;
const Algorithm ring_algorithm{"ring", "bandwidth-optimal pipeline around a cycle of all ranks",
                               ring_supports, plan_ring, unfit};

}  // namespace dsim
