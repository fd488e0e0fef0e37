#include "model/collective/algorithm.h"
#include "model/collective/network_switch.h"

namespace dsim {

namespace {

// Every GPU of a node heads a share: the others send it theirs over the NVSwitch, the network's
// switches reduce what the heads send, and the heads send the sums back to all.
Schedule plan_collnet_direct(const PlanRequest& request) {
  const Communicator& c = *request.communicator;
  ScheduleBuilder builder(c, Pattern::stream);
  builder.schedule.mechanics = Mechanics::collnet;
  builder.schedule.blocks = static_cast<std::int64_t>(c.nodes[0].size());
  for (int channel = 0; channel < request.nccl->channels; ++channel) {
    const auto key = static_cast<std::uint32_t>(channel);
    builder.begin_channel();
    for (std::size_t head = 0; head < c.nodes[0].size(); ++head) {
      const std::uint32_t in_network = builder.add_worker(c.nodes[0][head]);
      for (std::size_t node = 0; node < c.nodes.size(); ++node) {
        const auto& ranks = c.nodes[node];
        const std::uint32_t up = builder.add_worker(ranks[head]);
        const std::uint32_t down = builder.add_worker(ranks[head]);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
          if (i == head) continue;
          builder.connect(builder.add_worker(ranks[i]), up);
          builder.connect(down, builder.add_worker(ranks[i]));
        }
        const GpuId gpu = c.gpus[ranks[head]];
        const GpuId next = c.gpus[c.nodes[(node + 1) % c.nodes.size()][head]];
        builder.connect_over(up, in_network, links_to_switch(c, gpu, next, key), true);
        builder.connect_over(in_network, down, links_from_switch(c, gpu, next, key), true);
      }
    }
  }
  return builder.finish();
}

std::string unfit(const PlanRequest& request) {
  if (request.nccl == nullptr) return "CollNet is NCCL's";
  const Communicator& c = *request.communicator;
  if (!c.topology->has_nvswitch()) return "CollNet direct needs an NVSwitch in every node";
  for (const auto& node : c.nodes)
    if (node.size() != c.nodes[0].size() || node.size() > 8)
      return "CollNet direct needs as many GPUs on every node, at most 8";
  return collnet_unfit(c, request.nccl->collnet_direct.channels > 0);
}

}  // namespace

extern const Algorithm collnet_direct_algorithm;
const Algorithm collnet_direct_algorithm{
    "collnet_direct", "scatter to heads, reduction in the network's switches, gather",
    [](CollectiveOp op) { return op == CollectiveOp::all_reduce; }, plan_collnet_direct, unfit};

}  // namespace dsim
