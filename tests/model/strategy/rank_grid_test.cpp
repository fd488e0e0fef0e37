#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "model/strategy/parallelism.h"
#include "tests/support/message_of.h"

using namespace dsim;

namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

Parallelism random_parallelism(std::mt19937& random) {
  const auto pick = [&random] {
    return std::array{1U, 2U, 3U, 4U}[std::uniform_int_distribution(0, 3)(random)];
  };
  Parallelism p{.tensor = pick(), .context = pick(), .pipeline = pick(), .data = pick()};
  std::vector<std::string> order{"tp", "cp", "ep", "dp", "pp"};
  std::shuffle(order.begin(), order.end(), random);
  p.order = order[0] + "-" + order[1] + "-" + order[2] + "-" + order[3] + "-" + order[4];
  // Experts take what divides the ranks of a stage.
  const std::uint32_t stage = p.tensor * p.context * p.data;
  do {
    p.expert = pick();
    p.expert_tensor = pick();
  } while (stage % (p.expert * p.expert_tensor) != 0);
  return p;
}

std::uint32_t product(const Parallelism& p) { return p.tensor * p.context * p.data * p.pipeline; }

bool partitions(const Groups& groups, std::vector<std::uint32_t> ranks, std::size_t size) {
  std::vector<std::uint32_t> members;
  for (const auto& group : groups) {
    if (group.size() != size) return false;
    if (!std::is_sorted(group.begin(), group.end())) return false;
    members.insert(members.end(), group.begin(), group.end());
  }
  std::sort(members.begin(), members.end());
  return members == ranks;
}

}  // namespace

TEST_CASE("the groups of each dimension partition the ranks of a stage") {
  std::mt19937 random(30);
  for (int round = 0; round < 60; ++round) {
    const Parallelism p = random_parallelism(random);
    CAPTURE(p.order, p.tensor, p.context, p.data, p.pipeline, p.expert, p.expert_tensor);
    const RankGrid grid(p, product(p));
    std::vector<std::uint32_t> all;
    for (std::uint32_t stage = 0; stage < p.pipeline; ++stage) {
      const auto ranks = grid.stage(stage);
      all.insert(all.end(), ranks.begin(), ranks.end());
      CHECK(partitions(grid.tensor_groups(stage).groups, ranks, p.tensor));
      CHECK(partitions(grid.context_groups(stage).groups, ranks, p.context));
      CHECK(partitions(grid.data_groups(stage).groups, ranks, std::size_t{p.data} * p.context));
      CHECK(partitions(grid.expert_groups(stage).groups, ranks, p.expert));
      CHECK(partitions(grid.expert_tensor_groups(stage).groups, ranks, p.expert_tensor));
      CHECK(partitions(grid.expert_data_groups(stage).groups, ranks,
                       ranks.size() / (p.expert * p.expert_tensor)));
      CHECK(partitions(grid.shard_groups(stage, p.context).groups, ranks, p.context));
      CHECK(partitions(grid.replica_groups(stage, p.context).groups, ranks, p.data));
    }
    std::sort(all.begin(), all.end());
    for (std::uint32_t rank = 0; rank < grid.ranks(); ++rank) REQUIRE(all[rank] == rank);
  }
}

TEST_CASE("a rank and its place stand for each other") {
  std::mt19937 random(31);
  for (int round = 0; round < 20; ++round) {
    const Parallelism p = random_parallelism(random);
    const RankGrid grid(p, product(p));
    for (std::uint32_t rank = 0; rank < grid.ranks(); ++rank) {
      const RankPlace place = grid.place(rank);
      REQUIRE(grid.rank(place) == rank);
      REQUIRE((place.tensor < p.tensor && place.context < p.context && place.data < p.data &&
               place.pipeline < p.pipeline));
    }
  }
}

TEST_CASE("two ranks meet in one group at most of each pair of dimensions") {
  std::mt19937 random(32);
  for (int round = 0; round < 20; ++round) {
    const Parallelism p = random_parallelism(random);
    const RankGrid grid(p, product(p));
    const auto meet_once = [](const Groups& one, const Groups& other) {
      for (const auto& a : one)
        for (const auto& b : other) {
          std::vector<std::uint32_t> both;
          std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
          if (both.size() > 1) return false;
        }
      return true;
    };
    CAPTURE(p.order);
    CHECK(meet_once(grid.tensor_groups(0).groups, grid.data_groups(0).groups));
    CHECK(meet_once(grid.expert_groups(0).groups, grid.expert_data_groups(0).groups));
    CHECK(meet_once(grid.expert_groups(0).groups, grid.expert_tensor_groups(0).groups));
    CHECK(meet_once(grid.shard_groups(0, p.context).groups,
                    grid.replica_groups(0, p.context).groups));
  }
}

// Megatron-Core, core/parallel_state.py: 16 GPUs with tensor 2 and pipeline 4.
TEST_CASE("Megatron's example of sixteen ranks comes out") {
  const RankGrid grid({.tensor = 2, .pipeline = 4}, 16);
  CHECK(grid.parallelism().data == 2);
  CHECK(grid.tensor_groups(0).groups == Groups{{0, 1}, {2, 3}});
  CHECK(grid.tensor_groups(3).groups == Groups{{12, 13}, {14, 15}});
  CHECK(grid.data_groups(1).groups == Groups{{4, 6}, {5, 7}});
  CHECK(grid.pipeline_pairs(0, 1).groups == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(grid.embedding_pairs().groups == Groups{{0, 12}, {1, 13}, {2, 14}, {3, 15}});
  CHECK(grid.tensor_groups(3).name == "tensor of stage 3");
}

TEST_CASE("the order gives the strides") {
  const auto place = [](const char* order, std::uint32_t rank) {
    const RankPlace p =
        RankGrid({.tensor = 2, .context = 3, .pipeline = 5, .data = 7, .order = order}, 210)
            .place(rank);
    return std::array{p.tensor, p.context, p.data, p.pipeline};
  };
  CHECK(place("tp-cp-ep-dp-pp", 1) == std::array{1U, 0U, 0U, 0U});
  CHECK(place("tp-cp-ep-dp-pp", 42) == std::array{0U, 0U, 0U, 1U});
  CHECK(place("tp-cp-ep-pp-dp", 6) == std::array{0U, 0U, 0U, 1U});
  CHECK(place("tp-cp-ep-pp-dp", 30) == std::array{0U, 0U, 1U, 0U});
  CHECK(place("pp-ep-dp-tp-cp", 5 * 7 * 2) == std::array{0U, 1U, 0U, 0U});
  CHECK(place("tp-cp-dp-pp", 42) == std::array{0U, 0U, 0U, 1U});  // no experts
}

// As Megatron's generator for experts does it: with expert tensor 1 they take tensor ranks too.
TEST_CASE(
    "expert groups are made of data, context and, with fewer expert tensor ranks, tensor ranks") {
  const RankGrid as_tensor({.tensor = 2, .expert = 4}, 16);
  CHECK(as_tensor.expert_groups(0).groups ==
        Groups{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}});
  CHECK(as_tensor.expert_data_groups(0).groups.front() == std::vector{0U, 8U});
  const RankGrid folded({.tensor = 2, .expert = 4, .expert_tensor = 1}, 16);
  CHECK(folded.expert_groups(0).groups ==
        Groups{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}});
  CHECK(folded.expert_data_groups(0).groups.front() == std::vector{0U, 4U, 8U, 12U});
  CHECK(folded.expert_tensor_groups(0).groups.size() == 16);
}

TEST_CASE("shards are consecutive members of a data group") {
  const RankGrid grid({.tensor = 2}, 16);
  CHECK(grid.shard_groups(0, 4).groups.front() == std::vector{0U, 2U, 4U, 6U});
  CHECK(grid.replica_groups(0, 4).groups.front() == std::vector{0U, 8U});
  CHECK(grid.shard_groups(0, 0).groups.front().size() == 8);
  CHECK_THAT(test::message_of([&] { (void)grid.shard_groups(0, 3); }),
             Catch::Contains("3 ranks do not divide 8"));
}

TEST_CASE("a layout that cannot be is refused with its rule") {
  const auto refused = [](const Parallelism& p, std::uint32_t ranks) {
    return test::message_of([&] { RankGrid(p, ranks); });
  };
  using Catch::Contains;
  CHECK_THAT(refused({.tensor = 3}, 8), Contains("does not divide the 8 ranks"));
  CHECK_THAT(refused({.tensor = 2, .data = 3}, 8), Contains("= 6, but the job has 8 ranks"));
  CHECK_THAT(refused({.tensor = 2, .expert = 8}, 8), Contains("expert 8 x expert tensor 2 = 16"));
  CHECK_THAT(refused({.tensor = 2, .order = "tp-tp"}, 8), Contains("'tp' twice"));
  CHECK_THAT(refused({.pipeline = 2, .order = "tp-dp"}, 8), Contains("lacks 'pp'"));
  CHECK_THAT(refused({.order = "tp-cp-ep-dp-qp"}, 8), Contains("'qp'"));
  CHECK_THAT(refused({.order = ""}, 8), Contains("order of ranks"));
  CHECK_THAT(refused({.tensor = 0}, 8), Contains("tensor-parallel size"));
  CHECK_THAT(refused({}, 0), Contains("at least one rank"));
  CHECK(refused({.tensor = 65536, .context = 65536}, 8).starts_with("error: tensor 65536"));
}
