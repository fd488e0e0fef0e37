#pragma once
#include <cstdint>

namespace dsim {

inline constexpr std::int64_t nobody = -1;

/// Where a node stands in a binary tree over nodes.
struct TreePlace {
  std::int64_t parent = nobody;
  std::int64_t children[2] = {nobody, nobody};
};

/// NCCL's double binary tree over nodes 0..n-1 (NVIDIA/nccl src/graph/trees.cc): leaves and inner
/// nodes alternate, and a node that is inner in one tree is a leaf in the other.
TreePlace double_tree(std::int64_t n, std::int64_t node, bool second);

}  // namespace dsim
