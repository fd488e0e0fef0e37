#include <catch2/catch.hpp>

#include "model/strategy/training.h"
#include "tests/support/message_of.h"

using namespace dsim;

namespace {

/// Two embedding layers, blocks, two head layers.
Model network(std::size_t blocks) {
  Model model;
  model.name = "small";
  const auto add = [&model](LayerRole role) {
    model.layers.emplace_back();
    model.layers.back().role = role;
  };
  for (int i = 0; i < 2; ++i) add(LayerRole::embedding);
  for (std::size_t i = 0; i < blocks; ++i) add(LayerRole::block);
  for (int i = 0; i < 2; ++i) add(LayerRole::head);
  return model;
}

/// Blocks of each part.
std::vector<std::size_t> blocks(const Model& model, std::uint32_t parts, bool uneven) {
  std::vector<std::size_t> counts;
  std::size_t next = 0;
  for (const LayerRange& range : cut_into_parts(model, parts, uneven)) {
    CHECK(range.first == next);  // no gap, no overlap
    next = range.last;
    counts.push_back(range.last - range.first);
  }
  CHECK(next == model.layers.size());
  if (counts.size() == 1) return {counts[0] - 4};
  counts.front() -= 2;
  counts.back() -= 2;
  return counts;
}

using Counts = std::vector<std::size_t>;

}  // namespace

TEST_CASE("blocks are cut into equal parts; embeddings and head join the ends") {
  CHECK(blocks(network(8), 4, false) == Counts{2, 2, 2, 2});
  CHECK(blocks(network(8), 1, false) == Counts{8});
  CHECK(blocks(network(3), 3, false) == Counts{1, 1, 1});
}

TEST_CASE("uneven parts: the ends get fewer, the last first") {
  CHECK(blocks(network(15), 4, true) == Counts{4, 4, 4, 3});
  CHECK(blocks(network(14), 4, true) == Counts{3, 4, 4, 3});
  CHECK(blocks(network(13), 4, true) == Counts{3, 4, 3, 3});
  CHECK(blocks(network(126), 16, true).front() == 7);
}

TEST_CASE("parts that cannot be are refused") {
  using Catch::Contains;
  CHECK_THAT(test::message_of([] { cut_into_parts(network(9), 4, false); }),
             Contains("9 blocks of small do not divide into 4"));
  CHECK_THAT(test::message_of([] { cut_into_parts(network(3), 4, true); }),
             Contains("3 blocks, too few for 4"));
  CHECK_THAT(test::message_of([] { cut_into_parts(network(3), 0, true); }),
             Contains("at least one"));
}
