#include "model/strategy/pipeline_schedule.h"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <tuple>

#include "sim/base/error.h"
#include "tests/model/strategy/pipeline_player.h"
#include "tests/support/message_of.h"

using namespace dsim;
using test::PassCosts;
using test::play;

namespace {

constexpr PipelineKind all_kinds[] = {PipelineKind::gpipe,         PipelineKind::one_f_one_b,
                                      PipelineKind::interleaved,   PipelineKind::zero_bubble_h1,
                                      PipelineKind::zero_bubble_v, PipelineKind::dual_pipe};

struct Shape {
  std::uint32_t ranks, chunks;
  std::int64_t micro_batches;
};

/// A shape that `kind` accepts.
Shape random_shape(PipelineKind kind, std::mt19937& random) {
  const auto pick = [&random](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  const auto p = static_cast<std::uint32_t>(pick(1, 9));
  switch (kind) {
    case PipelineKind::interleaved:
      return {p + 1, static_cast<std::uint32_t>(pick(2, 4)), (p + 1) * pick(1, 5)};
    case PipelineKind::dual_pipe:
      return {2 * p, 1, 2 * (2 * p + pick(0, 9))};
    default:
      return {p, 1, pick(1, 40)};
  }
}

PipelineSchedule scheduled(PipelineKind kind, const Shape& shape) {
  return pipeline_schedule(kind, shape.ranks, shape.chunks, shape.micro_batches);
}

PassCosts random_costs(std::mt19937& random) {
  std::uniform_real_distribution<double> cost(0.2, 3);
  return {cost(random), cost(random), cost(random), cost(random)};
}

}  // namespace

TEST_CASE("every micro-batch runs forward and backward once in every part of its path") {
  std::mt19937 random(20);
  for (const PipelineKind kind : all_kinds)
    for (int round = 0; round < 20; ++round) {
      const Shape shape = random_shape(kind, random);
      CAPTURE(name_of(kind), shape.ranks, shape.chunks, shape.micro_batches);
      const PipelineSchedule schedule = scheduled(kind, shape);
      REQUIRE(schedule.ranks.size() == shape.ranks);

      // {forward, input gradient, weight gradient} by rank, chunk and micro-batch
      std::map<std::tuple<std::uint32_t, int, int>, std::array<int, 3>> runs;
      std::uint32_t rank = 0;
      for (const auto& actions : schedule.ranks) {
        for (const PipelineAction& action : actions) {
          auto& count = runs[{rank, action.chunk, action.micro_batch}];
          if (action.work == PipelineWork::forward) ++count[0];
          if (action.work == PipelineWork::backward) ++count[1], ++count[2];
          if (action.work == PipelineWork::input_gradient) ++count[1];
          if (action.work == PipelineWork::weight_gradient) ++count[2];
        }
        ++rank;
      }
      std::size_t expected = 0;
      for (int i = 0; i < shape.micro_batches; ++i)
        for (const auto& part : schedule.paths.at(schedule.direction.at(std::size_t(i)))) {
          REQUIRE(runs[{part.rank, part.chunk, i}] == std::array{1, 1, 1});
          ++expected;
        }
      REQUIRE(runs.size() == expected);
    }
}

TEST_CASE("no schedule waits for ever, whatever its costs") {
  std::mt19937 random(21);
  for (const PipelineKind kind : all_kinds)
    for (int round = 0; round < 20; ++round) {
      const Shape shape = random_shape(kind, random);
      CAPTURE(name_of(kind), shape.ranks, shape.chunks, shape.micro_batches);
      const auto played = play(scheduled(kind, shape), random_costs(random));
      REQUIRE(played);
      CHECK(played->least_idle() >= -1e-9);
    }
}

// Limits as published: arXiv:1811.06965, 2104.04473, 2401.10241, 2412.19437.
TEST_CASE("micro-batches in flight stay within the limit of each schedule") {
  std::mt19937 random(22);
  for (const PipelineKind kind : all_kinds)
    for (int round = 0; round < 20; ++round) {
      const Shape shape = random_shape(kind, random);
      const PipelineSchedule schedule = scheduled(kind, shape);
      const std::int64_t p = shape.ranks, v = shape.chunks, m = shape.micro_batches;
      for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
        CAPTURE(name_of(kind), p, v, m, rank);
        const std::int64_t most = most_in_flight(schedule, rank);
        switch (kind) {
          case PipelineKind::gpipe:
            CHECK(most == m);
            break;
          case PipelineKind::one_f_one_b:
            CHECK(most == std::min(m, p - rank));
            break;
          case PipelineKind::interleaved:
            CHECK(most == std::min(m * v, 2 * (p - rank - 1) + (v - 1) * p + 1));
            break;
          case PipelineKind::zero_bubble_h1:
            CHECK(most == std::min(m, p));
            break;
          case PipelineKind::zero_bubble_v:  // two chunks a rank
            CHECK(most <= 2 * p);
            if (m >= 2 * p) CHECK(most == 2 * p);
            break;
          case PipelineKind::dual_pipe:
            CHECK(most <= p + 1);
            break;
        }
      }
    }
}

TEST_CASE("with equal parts the bubble of each schedule is the published one") {
  std::mt19937 random(23);
  std::uniform_real_distribution<double> some(0.5, 2);
  for (int round = 0; round < 20; ++round) {
    PassCosts costs{some(random), some(random), some(random), 0};
    for (const PipelineKind kind :
         {PipelineKind::gpipe, PipelineKind::one_f_one_b, PipelineKind::interleaved}) {
      const Shape shape = random_shape(kind, random);
      CAPTURE(name_of(kind), shape.ranks, shape.chunks, shape.micro_batches);
      const auto played = play(scheduled(kind, shape), costs);
      REQUIRE(played);
      // A chunk takes 1/v of a rank's pass, so (p-1)(F+B)/v is p-1 passes of one chunk.
      const double bubble = (shape.ranks - 1) * (costs.forward + costs.backward());
      CHECK(played->least_idle() == Approx(bubble).margin(1e-9));
      CHECK(played->most_idle() == Approx(bubble).margin(1e-9));
    }
  }
}

// (p - 1)(F + B - 2W) with B the whole backward pass, in the words of the DeepSeek-V3 report.
TEST_CASE("the bubble of ZB-H1 is (p - 1)(F + input gradient - weight gradient)") {
  std::mt19937 random(24);
  std::uniform_real_distribution<double> below(0.4, 1);
  for (int round = 0; round < 20; ++round) {
    const Shape shape{std::uniform_int_distribution(2U, 9U)(random), 1,
                      std::uniform_int_distribution(18, 40)(random)};
    PassCosts costs;
    costs.input = 1 + below(random) / 2;
    costs.weight = below(random);  // longer than a forward pass it would be on the critical path
    CAPTURE(shape.ranks, shape.micro_batches, costs.input, costs.weight);
    const auto played = play(scheduled(PipelineKind::zero_bubble_h1, shape), costs);
    REQUIRE(played);
    const double bubble = (shape.ranks - 1) * (costs.forward + costs.input - costs.weight);
    CHECK(played->least_idle() == Approx(bubble));
    CHECK(played->most_idle() == Approx(bubble));
  }
}

// Ranks begin one forward pass of a chunk after each other and end so too: the p - 1 passes between
// the first start and the last are there once, not in every step, unless steps end together.
TEST_CASE("with equal passes ZB-V leaves no rank idle between its first and last pass") {
  const auto p = GENERATE(2U, 3U, 4U, 7U, 8U);
  const std::int64_t m = GENERATE(0, 1, 13) + 2 * p;
  const auto played = play(scheduled(PipelineKind::zero_bubble_v, {p, 1, m}), {1, 1, 1, 2});
  REQUIRE(played);
  for (const double inside : played->inside) CHECK(inside == Approx(0).margin(1e-9));
  CHECK(played->most_idle() == Approx(p - 1));
}

// F&B, a forward beside a backward pass, takes what the costs say for a pair; B is the whole
// backward pass and the input gradient takes as long as the forward pass.
TEST_CASE("the bubble of DualPipe is (p/2 - 1)(F&B + B - 3W)") {
  const auto p = GENERATE(2U, 4U, 6U, 8U, 12U);
  const std::int64_t m = GENERATE(0, 2, 20) + 2 * p;
  const double weight = GENERATE(0.5, 0.8, 1.0), overlap = GENERATE(0.75, 0.9, 1.0);
  PassCosts costs{1, 1, weight, 0};
  costs.pair = overlap * (costs.forward + costs.backward());
  CAPTURE(p, m, weight, overlap);
  const auto played = play(scheduled(PipelineKind::dual_pipe, {p, 1, m}), costs);
  REQUIRE(played);
  const double bubble = (p / 2 - 1) * (costs.pair + costs.backward() - 3 * weight);
  CHECK(played->most_idle() == Approx(bubble).margin(1e-9));
  if (overlap == 1.0) CHECK(played->least_idle() == Approx(bubble).margin(1e-9));
}

TEST_CASE("zero-bubble schedules are no slower than 1F1B and GPipe no faster") {
  std::mt19937 random(25);
  for (int round = 0; round < 20; ++round) {
    const auto p = std::uniform_int_distribution(2U, 8U)(random);
    const std::int64_t m = std::uniform_int_distribution(2U, 40U)(random);
    const PassCosts equal;
    const auto makespan = [&](PipelineKind kind) {
      return play(scheduled(kind, {p, 1, m}), equal)->makespan;
    };
    CAPTURE(p, m);
    CHECK(makespan(PipelineKind::zero_bubble_h1) <= makespan(PipelineKind::one_f_one_b) + 1e-9);
    CHECK(makespan(PipelineKind::gpipe) >= makespan(PipelineKind::one_f_one_b) - 1e-9);
    // Twice the parts of half the size.
    CHECK(play(scheduled(PipelineKind::zero_bubble_v, {p, 1, m}), {0.5, 0.5, 0.5, 2})->makespan <=
          makespan(PipelineKind::zero_bubble_h1) + 1e-9);
  }
}

TEST_CASE("a schedule that cannot be is refused with its rule") {
  const auto refused = [](PipelineKind kind, std::uint32_t p, std::uint32_t v, std::int64_t m) {
    return test::message_of([&] { pipeline_schedule(kind, p, v, m); });
  };
  using Catch::Contains;
  CHECK_THAT(refused(PipelineKind::interleaved, 4, 2, 6),
             Contains("multiple of the 4 pipeline ranks, not 6"));
  CHECK_THAT(refused(PipelineKind::interleaved, 4, 1, 8), Contains("at least 2 model chunks"));
  CHECK_THAT(refused(PipelineKind::interleaved, 1, 2, 8), Contains("at least 2 pipeline ranks"));
  CHECK_THAT(refused(PipelineKind::one_f_one_b, 4, 2, 8), Contains("interleaved"));
  CHECK_THAT(refused(PipelineKind::dual_pipe, 3, 1, 8), Contains("even number of pipeline ranks"));
  CHECK_THAT(refused(PipelineKind::dual_pipe, 4, 1, 6), Contains("at least twice the 4"));
  CHECK_THAT(refused(PipelineKind::dual_pipe, 4, 1, 9), Contains("even number of micro-batches"));
  CHECK_THAT(refused(PipelineKind::gpipe, 0, 1, 8), Contains("at least one rank"));
  CHECK_THAT(refused(PipelineKind::gpipe, 4, 1, 0), Contains("at least one micro-batch"));
  CHECK_THAT(refused(PipelineKind::gpipe, 4, 1, 1'000'000'000'000), Contains("too many"));
}

TEST_CASE("pipeline schedules go by the names of the field") {
  for (const PipelineKind kind : all_kinds) CHECK(pipeline_kind_from(name_of(kind)) == kind);
  CHECK(name_of(PipelineKind::one_f_one_b) == "1f1b");
  CHECK_THAT(test::message_of([] { pipeline_kind_from("gpip"); }), Catch::Contains("gpipe"));
}
