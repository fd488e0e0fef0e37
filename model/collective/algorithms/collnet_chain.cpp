#include "model/collective/algorithm.h"
#include "model/collective/network_switch.h"

namespace dsim {

namespace {

// A chain up to the head of every node, the network's switches reduce what the heads send, and a
// chain down again.
Schedule plan_collnet_chain(const PlanRequest& request) {
  const Communicator& c = *request.communicator;
  ScheduleBuilder builder(c, Pattern::stream);
  builder.schedule.mechanics = Mechanics::collnet;
  std::vector<std::uint32_t> up, down;
  for (int channel = 0; channel < request.nccl->channels; ++channel) {
    const ChannelPath& path = request.nccl->ring_path(static_cast<std::uint32_t>(channel));
    const auto key = static_cast<std::uint32_t>(channel);
    builder.begin_channel();
    // The switch stands beside the head of the first node.
    const std::uint32_t in_network = builder.add_worker(path.node_orders[0][0]);
    for (std::size_t node = 0; node < path.node_orders.size(); ++node) {
      const auto& order = path.node_orders[node];
      up.clear();
      down.clear();
      for (const std::uint32_t rank : order) {
        up.push_back(builder.add_worker(rank));
        down.push_back(builder.add_worker(rank));
      }
      for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        builder.connect(up[i + 1], up[i]);
        builder.connect(down[i], down[i + 1]);
      }
      const GpuId head = c.gpus[order[0]];
      const auto& next = path.node_orders[(node + 1) % path.node_orders.size()];
      builder.connect_over(up[0], in_network, links_to_switch(c, head, c.gpus[next[0]], key), true);
      builder.connect_over(in_network, down[0], links_from_switch(c, head, c.gpus[next[0]], key),
                           true);
    }
  }
  return builder.finish();
}

}  // namespace

extern const Algorithm collnet_chain_algorithm;
const Algorithm collnet_chain_algorithm{
    "collnet_chain", "chains inside nodes, reduction in the network's switches",
    [](CollectiveOp op) { return op == CollectiveOp::all_reduce; }, plan_collnet_chain,
    [](const PlanRequest& r) {
      return r.nccl == nullptr ? std::string("CollNet is NCCL's")
                               : collnet_unfit(*r.communicator, r.nccl->collnet_chain.channels > 0);
    }};

}  // namespace dsim
