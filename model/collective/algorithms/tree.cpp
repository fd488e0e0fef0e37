#include <cstdint>

#include "model/collective/algorithm.h"
#include "model/collective/schedule_builder.h"

namespace dsim {

namespace {

constexpr std::int64_t nobody = -1;

struct TreePlace {
  std::int64_t parent = nobody;
  std::int64_t children[2] = {nobody, nobody};
};

// Binary tree over nodes 0..n-1 in which leaves and inner nodes alternate: the lowest set bit of a
// node is its height (NVIDIA/nccl src/graph/trees.cc).
//          0---------------4
//                  2-------|-------6
//                1   3           5   7
TreePlace binary_tree(std::int64_t n, std::int64_t node) {
  TreePlace place;
  std::int64_t bit = 1;
  while (bit < n && (node & bit) == 0) bit <<= 1;
  if (node == 0) {
    place.children[1] = n > 1 ? bit >> 1 : nobody;
    return place;
  }
  std::int64_t up = (node ^ bit) | (bit << 1);
  if (up >= n) up = node ^ bit;
  place.parent = up;
  const std::int64_t half = bit >> 1;
  place.children[0] = half == 0 ? nobody : node - half;
  std::int64_t right = half == 0 ? nobody : node + half;
  for (std::int64_t step = half; right != nobody && right >= n; step >>= 1)
    right = step > 1 ? node + (step >> 1) : nobody;
  place.children[1] = right;
  return place;
}

// The second tree mirrors the first (even n) or shifts it by one (odd n), so that a node that is
// inner in one is a leaf in the other.
TreePlace second_tree(std::int64_t n, std::int64_t node) {
  const bool even = n % 2 == 0;
  const auto there = [&](std::int64_t x) { return even ? n - 1 - x : (x - 1 + n) % n; };
  const auto back = [&](std::int64_t x) {
    return x == nobody ? nobody : even ? n - 1 - x : (x + 1) % n;
  };
  TreePlace place = binary_tree(n, there(node));
  place.parent = back(place.parent);
  for (auto& child : place.children) child = back(child);
  return place;
}

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
      const auto place = second ? second_tree(nodes, node) : binary_tree(nodes, node);
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
      const auto place = second ? second_tree(nodes, node) : binary_tree(nodes, node);
      if (place.parent == nobody) continue;
      builder.connect(up[head(node)], up[head(place.parent)]);
      builder.connect(down[head(place.parent)], down[head(node)]);
    }
  }
  return builder.finish();
}

}  // namespace

extern const Algorithm tree_algorithm;
const Algorithm tree_algorithm{"tree", "double binary tree over nodes, a chain inside each node",
                               [](CollectiveOp op) { return op == CollectiveOp::all_reduce; },
                               plan_tree};

}  // namespace dsim
