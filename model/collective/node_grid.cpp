#include "model/collective/node_grid.h"

#include <numeric>

namespace dsim {

Teams NodeGrid::rows(std::uint32_t parts) const {
  return {.count = height,
          .size = width,
          .rank = [grid = *this](
                      std::uint32_t row,
                      std::uint32_t member) { return grid.ranks[row * grid.width + member]; },
          .first_block = [parts](std::uint32_t, std::uint32_t member) { return member * parts; }};
}

Teams NodeGrid::columns(std::uint32_t parts) const {
  return {.count = width,
          .size = height,
          .rank = [grid = *this](
                      std::uint32_t column,
                      std::uint32_t member) { return grid.ranks[member * grid.width + column]; },
          .first_block = [parts](std::uint32_t column,
                                 std::uint32_t member) { return column * parts + member; }};
}

std::vector<std::uint32_t> NodeGrid::owners() const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t column = 0; column < width; ++column)
    for (std::uint32_t row = 0; row < height; ++row) result.push_back(ranks[row * width + column]);
  return result;
}

NodeGrid node_grid(const Communicator& communicator) {
  NodeGrid grid;
  for (const auto& node : communicator.nodes) {
    if (node.size() != communicator.nodes.front().size()) return {};
    grid.ranks.insert(grid.ranks.end(), node.begin(), node.end());
  }
  grid.height = static_cast<std::uint32_t>(communicator.nodes.size());
  grid.width = static_cast<std::uint32_t>(communicator.nodes.front().size());
  return grid;
}

NodeGrid torus_grid(const Communicator& communicator) {
  NodeGrid grid = node_grid(communicator);
  if (grid.width > 1 && grid.height > 1) return grid;
  const std::uint32_t n = communicator.size();
  grid.width = 1;
  for (std::uint32_t w = 2; std::uint64_t{w} * w <= n; ++w)
    if (n % w == 0) grid.width = w;
  grid.height = n / grid.width;
  grid.ranks.resize(n);
  std::iota(grid.ranks.begin(), grid.ranks.end(), 0u);
  return grid;
}

}  // namespace dsim
