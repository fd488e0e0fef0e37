#include <fmt/format.h>

#include "model/strategy/training.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

/// Blocks of each part. Where they do not divide, ends get one fewer, the last part first: it also
/// holds the head.
std::vector<std::size_t> blocks_by_part(std::size_t blocks, std::uint32_t parts) {
  const std::size_t most = (blocks + parts - 1) / parts;
  std::vector<std::size_t> counts(parts, most);
  const std::size_t missing = most * parts - blocks;
  for (std::size_t i = 0; i < missing; ++i) --counts[i % 2 == 0 ? parts - 1 - i / 2 : i / 2];
  return counts;
}

}  // namespace

std::vector<LayerRange> cut_into_parts(const Model& model, std::uint32_t parts, bool uneven) {
  if (parts == 0) throw InputError("a network is cut into at least one part");
  if (parts == 1) return {{0, model.layers.size()}};

  std::vector<std::size_t> blocks;  // indices of layers
  for (std::size_t i = 0; i < model.layers.size(); ++i)
    if (model.layers[i].role == LayerRole::block) blocks.push_back(i);
  if (blocks.size() < parts)
    throw InputError(fmt::format("{} has {} blocks, too few for {} pipeline parts", model.name,
                                 blocks.size(), parts));
  if (blocks.size() % parts != 0 && !uneven)
    throw InputError(fmt::format("the {} blocks of {} do not divide into {} pipeline parts",
                                 blocks.size(), model.name, parts));

  std::vector<LayerRange> ranges;
  std::size_t first = 0, block = 0;
  for (const std::size_t count : blocks_by_part(blocks.size(), parts)) {
    block += count;
    const std::size_t last = block < blocks.size() ? blocks[block] : model.layers.size();
    ranges.push_back({first, last});
    first = last;
  }
  return ranges;
}

}  // namespace dsim
