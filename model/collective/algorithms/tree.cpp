#include "model/collective/algorithm.h"
#include "model/collective/double_tree.h"
#include "model/collective/schedule_builder.h"

namespace dsim {

namespace {

// Inside a node a chain hangs below the rank on the channel's rail, which alone talks to other
// nodes. Values are reduced up and broadcast down at the same time by two groups of threads: two
// workers a rank, one at the root that turns the stream around.
Schedule plan_tree(const PlanRequest& request) {
  const Communicator& communicator = *request.communicator;
  ScheduleBuilder builder(communicator, Pattern::stream);
  builder.schedule.mechanics = Mechanics::tree;
  const auto nodes = static_cast<std::int64_t>(communicator.nodes.size());
  std::vector<ChannelPath> paths;
  for (int c = 0; c < request.nccl->channels; ++c)
    paths.push_back(request.nccl->tree_path(static_cast<std::uint32_t>(c)));
  for (std::size_t c = 0; c < paths.size(); ++c) {
    builder.begin_channel();
    const bool second = c >= paths.size() / 2;
    std::vector<std::uint32_t> up(communicator.size()), down(communicator.size());
    for (std::int64_t node = 0; node < nodes; ++node) {
      const auto place = double_tree(nodes, node, second);
      const auto& order = paths[c].node_orders[static_cast<std::size_t>(node)];
      for (const std::uint32_t rank : order) {
        up[rank] = builder.add_worker(rank);
        down[rank] =
            place.parent == nobody && rank == order[0] ? up[rank] : builder.add_worker(rank);
      }
    }
    const auto head = [&](std::int64_t node) {
      return paths[c].node_orders[static_cast<std::size_t>(node)][0];
    };
    for (std::int64_t node = 0; node < nodes; ++node) {
      const auto& order = paths[c].node_orders[static_cast<std::size_t>(node)];
      for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        builder.connect(up[order[i + 1]], up[order[i]]);
        builder.connect(down[order[i]], down[order[i + 1]]);
      }
      const auto place = double_tree(nodes, node, second);
      if (place.parent == nobody) continue;
      builder.connect(up[head(node)], up[head(place.parent)], paths[c].rail);
      builder.connect(down[head(place.parent)], down[head(node)], paths[c].rail);
    }
  }
  return builder.finish();
}

}  // namespace

extern const Algorithm tree_algorithm;
const Algorithm tree_algorithm{"tree", "double binary tree over nodes, a chain inside each node",
                               [](CollectiveOp op) { return op == CollectiveOp::all_reduce; },
                               plan_tree,
                               [](const PlanRequest& request) {
                                 return std::string(request.nccl ? "" : "the tree is NCCL's");
                               }};

}  // namespace dsim
