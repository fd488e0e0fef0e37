#include <algorithm>

#include "model/collective/algorithm.h"
#include "model/collective/double_tree.h"
#include "model/collective/nvls_star.h"
#include "model/collective/schedule_builder.h"

namespace dsim {

namespace {

// Inside every node the switch reduces a share for each GPU (NVLS); the GPUs of one local index
// then form double binary trees over the nodes, and the switches multicast what comes back down.
Schedule plan_nvls_tree(const PlanRequest& request) {
  const Communicator& c = *request.communicator;
  ScheduleBuilder builder(c, Pattern::stream);
  builder.schedule.mechanics = Mechanics::nvls_tree;
  const auto nodes = static_cast<std::int64_t>(c.nodes.size());
  const std::size_t heads = c.nodes[0].size();
  builder.schedule.blocks = static_cast<std::int64_t>(heads);
  std::vector<std::uint32_t> up(c.nodes.size()), down(c.nodes.size());
  std::vector<std::vector<LinkShare>> stars;
  for (const auto& ranks : c.nodes) stars.push_back(star_links(c, ranks));
  for (int channel = 0; channel < request.nccl->nvls_channels; ++channel) {
    builder.begin_channel();
    const bool second = channel >= request.nccl->nvls_channels / 2;
    for (std::size_t head = 0; head < heads; ++head) {
      for (std::int64_t node = 0; node < nodes; ++node) {
        const auto& ranks = c.nodes[static_cast<std::size_t>(node)];
        const std::uint32_t from = builder.add_worker(ranks[head]);
        const auto n = static_cast<std::size_t>(node);
        up[n] = builder.add_worker(ranks[head]);
        down[n] = double_tree(nodes, node, second).parent == nobody
                      ? up[n]
                      : builder.add_worker(ranks[head]);
        builder.connect_over(from, up[n], stars[n], false);
      }
      for (std::int64_t node = 0; node < nodes; ++node) {
        const TreePlace place = double_tree(nodes, node, second);
        if (place.parent == nobody) continue;
        const auto n = static_cast<std::size_t>(node), p = static_cast<std::size_t>(place.parent);
        builder.connect(up[n], up[p]);
        builder.connect(down[p], down[n]);
      }
    }
  }
  return builder.finish();
}

std::string unfit(const PlanRequest& request) {
  if (request.nccl == nullptr) return "NVLS-tree is NCCL's";
  const Communicator& c = *request.communicator;
  if (c.nodes.size() < 2) return "NVLS-tree joins several nodes; inside one NVLS does it";
  if (!c.topology->has_nvswitch()) return "NVLS-tree needs an NVSwitch in every node";
  if (!request.nccl->nvls_tree || request.nccl->nvls_channels == 0)
    return "NVLS-tree needs NVSwitches that reduce (Hopper and later), NCCL 2.18 and "
           "NCCL_NVLS_ENABLE";
  for (const auto& node : c.nodes)
    if (node.size() != c.nodes[0].size()) return "NVLS-tree needs as many GPUs on every node";
  return "";
}

}  // namespace

extern const Algorithm nvls_tree_algorithm;
const Algorithm nvls_tree_algorithm{
    "nvls_tree", "NVLS inside nodes, double binary trees between them",
    [](CollectiveOp op) { return op == CollectiveOp::all_reduce; }, plan_nvls_tree, unfit};

}  // namespace dsim
