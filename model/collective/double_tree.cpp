#include "model/collective/double_tree.h"

namespace dsim {

namespace {

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

}  // namespace

TreePlace double_tree(std::int64_t n, std::int64_t node, bool second) {
  return second ? second_tree(n, node) : binary_tree(n, node);
}

}  // namespace dsim
