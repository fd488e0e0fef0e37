#include "model/collective/rounds_run.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <tuple>
#include <utility>

#include "model/collective/message_links.h"
#include "model/collective/round_stages.h"
#include "model/collective/rounds_fluid.h"
#include "tests/model/collective/rounds_worlds.h"

using namespace dsim;
using namespace dsim::test;

namespace {

struct Stopwatch {
  Engine* engine;
  double seconds = -1;
  void stop(std::uint64_t) { seconds = engine->now().seconds(); }
};

constexpr auto stopped = [](void* self, std::uint64_t value) {
  static_cast<Stopwatch*>(self)->stop(value);
};

struct Outcome {
  double seconds = 0;
  std::uint64_t messages = 0, solves = 0;
};

Outcome at_steps(const Schedule& schedule, const PathOf& path, std::int64_t size,
                 const RoundCost& cost, std::vector<double> capacities) {
  Engine engine;
  ActivityNetwork network(engine, std::move(capacities));
  RoundsRun run(engine, network, schedule, path);
  Stopwatch watch{&engine};
  run.start(Bytes{size}, cost, 0, stopped, &watch, 0);
  engine.run();
  return {watch.seconds, run.messages(), network.solves()};
}

double at_fluid(const Schedule& schedule, const PathOf& path, std::int64_t size,
                const RoundCost& cost, const std::vector<double>& capacities) {
  Engine engine;
  ActivityNetwork network(engine, capacities);
  const auto plans = plan_phases(schedule, path, capacities.size());
  const auto phases = price_phases(schedule, plans, Bytes{size}, cost, capacities);
  RoundsFluidRun run(engine, network);
  Stopwatch watch{&engine};
  run.start(phases, 0, stopped, &watch, 0);
  engine.run();
  CHECK(watch.seconds == Approx(alone_seconds(phases, capacities)).epsilon(1e-6));
  return watch.seconds;
}

double closed(const Schedule& schedule, const PathOf& path, std::int64_t size,
              const RoundCost& cost, const std::vector<double>& capacities) {
  const auto plans = plan_phases(schedule, path, capacities.size());
  return alone_seconds(price_phases(schedule, plans, Bytes{size}, cost, capacities), capacities);
}

// Every pair of ranks has a path of its own without limits but the caps.
void no_links(std::uint32_t, std::uint32_t, MessagePath& out) { out = {}; }

std::vector<double> capacities_of(const Topology& topology) {
  std::vector<double> result;
  for (std::size_t l = 0; l < topology.link_count(); ++l)
    result.push_back(topology.link(LinkId{l}).bandwidth.bytes_per_second);
  return result;
}

// Latency 3 us and 10 GB/s a message.
RoundCost plain_cost() {
  RoundCost cost;
  cost.latency_local = cost.latency_network = 3e-6;
  cost.rate_local = cost.rate_network = 1e10;
  return cost;
}

}  // namespace

TEST_CASE("Without contention, rounds take the textbook's time", "[rounds]") {
  const double a = 3e-6, beta = 1e-10;
  const std::int64_t size = 32 << 20;
  const double s = static_cast<double>(size);
  for (const std::uint32_t n : {2u, 4u, 16u, 32u}) {
    const Communicator c = first_ranks(n);
    const double lg = std::log2(n), share = (n - 1.0) / n;
    const auto time = [&](const char* name, CollectiveOp op) {
      return at_steps(rounds_of(name, c, op, size), no_links, size, plain_cost(), {}).seconds;
    };
    using enum CollectiveOp;
    INFO(n << " ranks");
    CHECK(time("recursive_doubling", all_reduce) == Approx(lg * (a + s * beta)));
    CHECK(time("halving_doubling", all_reduce) == Approx(2 * lg * a + 2 * share * s * beta));
    CHECK(time("pat", all_gather) == Approx(lg * a + share * s * beta));
    CHECK(time("bruck", all_to_all) == Approx(lg * (a + s / 2 * beta)));
    CHECK(time("binomial", broadcast) == Approx(lg * (a + s * beta)));
    CHECK(time("binomial", barrier) == Approx(2 * lg * a));
    CHECK(time("pairwise", all_to_all) == Approx((n - 1) * (a + s / n * beta)));
    CHECK(time("direct", all_to_all) == Approx(a + s / n * beta));
    CHECK(time("direct", sendrecv) == Approx(a + s * beta));
    CHECK(time("linear", all_reduce) == Approx(2 * (a + s * beta)));
    CHECK(time("nonoverlapping", all_reduce) == Approx(2 * lg * (a + s * beta)));
    CHECK(time("ring_chunked", all_reduce) == Approx(4 * (n - 1) * (a + s / (2 * n) * beta)));
    const double k = std::max(2.0, std::ceil(32.0 / n));
    CHECK(time("gloo_ring", all_reduce) == Approx(2 * (n - 1) * k * (a + s / (k * n) * beta)));
    const double pieces = std::max(1.0, 32.0 / n);
    CHECK(time("segmented_ring", all_reduce) ==
          Approx((n - 1) * (pieces * (a + s / (pieces * n) * beta) + a + s / n * beta)));
  }
}

TEST_CASE("Without contention, steps are the closed form or, where ranks idle, no slower",
          "[rounds]") {
  const std::int64_t size = 3 << 20;
  for (const std::uint32_t n : {1u, 2u, 3u, 7u, 8u, 12u, 16u, 33u})
    for (const Algorithm* algorithm : round_algorithms())
      for (const CollectiveOp op : all_collectives()) {
        const Communicator c = first_ranks(n);
        const PlanRequest request{.communicator = &c, .op = op, .size = Bytes{size}};
        if (!algorithm->supports(op) || !algorithm->unfit(request).empty()) continue;
        INFO(algorithm->name << ' ' << name_of(op) << " of " << n << " ranks");
        const Schedule schedule = algorithm->plan(request);
        const double steps = at_steps(schedule, no_links, size, plain_cost(), {}).seconds;
        const double form = closed(schedule, no_links, size, plain_cost(), {});
        REQUIRE(steps >= 0);  // it ended: nobody waits for ever
        CHECK(steps <= form * (1 + 1e-6) + 1e-9);
        if (power_of_two_below(n) == n) CHECK(steps == Approx(form).margin(1e-9));
      }
}

TEST_CASE("Every message of every round is sent, whatever the latencies", "[rounds]") {
  std::mt19937 random(11);
  for (const Algorithm* algorithm : round_algorithms())
    for (const CollectiveOp op : all_collectives()) {
      const std::uint32_t n = 2 + static_cast<std::uint32_t>(random() % 20);
      const Communicator c = first_ranks(n);
      const PlanRequest request{.communicator = &c, .op = op, .size = Bytes{1 << 20}};
      if (!algorithm->supports(op) || !algorithm->unfit(request).empty()) continue;
      INFO(algorithm->name << ' ' << name_of(op) << " of " << n << " ranks");
      const Schedule schedule = algorithm->plan(request);
      std::uint64_t expected = 0;
      std::vector<Message> messages;
      std::vector<double> copies;
      for (std::uint32_t round = 0; round < schedule.program.rounds; ++round) {
        messages_of_round(schedule.program, n, round, messages, copies);
        expected += messages.size();
      }
      const auto uneven = [](std::uint32_t from, std::uint32_t to, MessagePath& out) {
        out = {};
        out.link_latency = 1e-6 * ((from * 7 + to * 13) % 11);
      };
      const Outcome outcome = at_steps(schedule, uneven, 1 << 20, plain_cost(), {});
      CHECK(outcome.seconds >= 0);
      CHECK(outcome.messages == expected);
    }
}

TEST_CASE("A rank adds what it received before it goes on", "[rounds]") {
  const Communicator c = first_ranks(4);
  const std::int64_t size = 8 << 20;
  const double s = static_cast<double>(size);
  RoundCost cost = plain_cost();
  cost.reduce_rate = 5e9;
  const double a = 3e-6, beta = 1e-10, gamma = 1 / 5e9;
  using enum CollectiveOp;
  // Rabenseifner: 2 lg n a + 2 (n-1)/n s beta + (n-1)/n s gamma.
  const Schedule rabenseifner = rounds_of("halving_doubling", c, all_reduce, size);
  CHECK(at_steps(rabenseifner, no_links, size, cost, {}).seconds ==
        Approx(4 * a + 1.5 * s * beta + 0.75 * s * gamma));
  CHECK(closed(rabenseifner, no_links, size, cost, {}) ==
        Approx(4 * a + 1.5 * s * beta + 0.75 * s * gamma));
  // The root of a star adds three vectors.
  CHECK(at_steps(rounds_of("linear", c, reduce, size), no_links, size, cost, {}).seconds ==
        Approx(a + s * beta + 3 * s * gamma));
  // Gloo adds a segment while the next one moves: slower adding sets the pace of the first half.
  const Schedule gloo = rounds_of("gloo_ring", c, all_reduce, size);
  const double segment = s / 8, move = a + segment * beta, add = segment * gamma;
  REQUIRE(add > move);
  const double expected = move + 5 * add + add + 5 * move;
  CHECK(at_steps(gloo, no_links, size, cost, {}).seconds == Approx(expected));
  CHECK(closed(gloo, no_links, size, cost, {}) == Approx(expected));
  cost.reduce_rate = 2e10;  // hidden but for nothing
  CHECK(at_steps(gloo, no_links, size, cost, {}).seconds == Approx(12 * move));
}

TEST_CASE("Long messages that are cut are added as they come", "[rounds]") {
  const Communicator c = first_ranks(2);
  Schedule schedule = rounds_of("recursive_doubling", c, CollectiveOp::all_reduce);
  schedule.program.largest_message = 1 << 20;
  RoundCost cost = plain_cost();
  cost.reduce_rate = 5e9;
  const double expected = 3e-6 + (64 << 20) / 5e9 + (1 << 20) / 5e9;
  CHECK(at_steps(schedule, no_links, 64 << 20, cost, {}).seconds == Approx(expected));
  CHECK(closed(schedule, no_links, 64 << 20, cost, {}) == Approx(expected));
}

TEST_CASE("A rank's own part is copied first", "[rounds]") {
  const Communicator c = first_ranks(4);
  RoundCost cost = plain_cost();
  cost.self_copy_rate = 1e11;
  const std::int64_t size = 4 << 20;
  const Schedule schedule = rounds_of("direct", c, CollectiveOp::all_to_all, size);
  const double expected = 3e-6 + (1 << 20) / 1e10 + (1 << 20) / 1e11;
  CHECK(at_steps(schedule, no_links, size, cost, {}).seconds == Approx(expected));
  CHECK(closed(schedule, no_links, size, cost, {}) == Approx(expected));
}

TEST_CASE("Messages that share a link share its rate", "[rounds]") {
  const Communicator c = first_ranks(4);
  const auto one_link = [](std::uint32_t, std::uint32_t, MessagePath& out) {
    out = {};
    out.loads = {{0, 1.0, LinkKind::tcp}};
  };
  const std::int64_t size = 4 << 20;
  const Schedule schedule = rounds_of("direct", c, CollectiveOp::all_to_all, size);
  RoundCost cost;
  // 12 messages of 1 MiB over 1 GB/s, at half the payload.
  cost.wire[static_cast<std::size_t>(LinkKind::tcp)] = 2;
  const double expected = 12.0 * (1 << 20) * 2 / 1e9;
  CHECK(at_steps(schedule, one_link, size, cost, {1e9}).seconds == Approx(expected));
  CHECK(at_fluid(schedule, one_link, size, cost, {1e9}) == Approx(expected));
}

TEST_CASE("Steps and fluid agree on shipped clusters", "[rounds]") {
  RoundCost cost;
  cost.latency_local = 5e-6;
  cost.latency_network = 15e-6;
  cost.rate_local = 1.5e11;
  for (const char* machine :
       {"dgx-h100x2.json", "dgx1-v100x2.json", "a100x16-oversubscribed.json"}) {
    const auto topology = shipped(machine);
    const Communicator c = everybody(*topology);
    const PathOf path = paths_along_routes(c);
    const auto capacities = capacities_of(*topology);
    for (const Algorithm* algorithm : round_algorithms())
      for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather,
                                    CollectiveOp::reduce_scatter, CollectiveOp::all_to_all}) {
        const std::int64_t size = 64 << 20;
        const PlanRequest request{.communicator = &c, .op = op, .size = Bytes{size}};
        if (!algorithm->supports(op) || !algorithm->unfit(request).empty()) continue;
        INFO(machine << ' ' << algorithm->name << ' ' << name_of(op));
        const Schedule schedule = algorithm->plan(request);
        const double steps = at_steps(schedule, path, size, cost, capacities).seconds;
        const double fluid = at_fluid(schedule, path, size, cost, capacities);
        CHECK(fluid == Approx(steps).epsilon(0.01));
      }
  }
}

TEST_CASE("Two collectives side by side take as long at fluid as at steps", "[rounds]") {
  RoundCost cost;
  cost.latency_local = 5e-6;
  cost.latency_network = 15e-6;
  cost.rate_local = 1.5e11;
  const std::int64_t size = 16 << 20;
  const std::pair<const char*, CollectiveOp> calls[] = {
      {"halving_doubling", CollectiveOp::all_reduce},
      {"direct", CollectiveOp::all_to_all},
      {"pairwise", CollectiveOp::all_to_all},
      {"hierarchical", CollectiveOp::all_reduce},
      {"pat", CollectiveOp::all_gather},
      {"gloo_ring", CollectiveOp::all_reduce}};
  std::vector<double> errors;
  for (const char* machine : {"dgx-h100x2.json", "a100x16-oversubscribed.json"}) {
    const auto topology = shipped(machine);
    const Communicator c = everybody(*topology);
    const auto capacities = capacities_of(*topology);
    const PathOf path = paths_along_routes(c);
    for (const auto& [first, first_op] : calls)
      for (const auto& [second, second_op] : calls) {
        const Schedule a = rounds_of(first, c, first_op, size);
        const Schedule b = rounds_of(second, c, second_op, size);
        Engine steps_engine, fluid_engine;
        ActivityNetwork steps(steps_engine, capacities), fluid(fluid_engine, capacities);
        Stopwatch at_steps_a{&steps_engine}, at_steps_b{&steps_engine};
        RoundsRun steps_a(steps_engine, steps, a, path), steps_b(steps_engine, steps, b, path);
        steps_a.start(Bytes{size}, cost, 0, stopped, &at_steps_a, 0);
        steps_b.start(Bytes{size}, cost, 0, stopped, &at_steps_b, 0);
        steps_engine.run();
        Stopwatch at_fluid_a{&fluid_engine}, at_fluid_b{&fluid_engine};
        const auto phases = [&](const Schedule& schedule) {
          return price_phases(schedule, plan_phases(schedule, path, capacities.size()), Bytes{size},
                              cost, capacities);
        };
        const auto phases_a = phases(a), phases_b = phases(b);
        RoundsFluidRun fluid_a(fluid_engine, fluid), fluid_b(fluid_engine, fluid);
        fluid_a.start(phases_a, 0, stopped, &at_fluid_a, 0);
        fluid_b.start(phases_b, 0, stopped, &at_fluid_b, 0);
        fluid_engine.run();
        errors.push_back(std::abs(at_fluid_a.seconds / at_steps_a.seconds - 1));
        errors.push_back(std::abs(at_fluid_b.seconds / at_steps_b.seconds - 1));
      }
  }
  std::sort(errors.begin(), errors.end());
  CHECK(errors[errors.size() / 2] < 0.005);
  CHECK(errors[errors.size() * 9 / 10] < 0.03);
  CHECK(errors.back() < 0.12);
}

TEST_CASE("A collective of no bytes takes its latencies", "[rounds]") {
  const Communicator c = first_ranks(8);
  for (const auto& [name, op, rounds] :
       {std::tuple{"halving_doubling", CollectiveOp::all_reduce, 6},
        {"direct", CollectiveOp::all_to_all, 1},
        {"binomial", CollectiveOp::barrier, 6}}) {
    const Schedule schedule = rounds_of(name, c, op, 0);
    CHECK(at_steps(schedule, no_links, 0, plain_cost(), {}).seconds == Approx(rounds * 3e-6));
    CHECK(closed(schedule, no_links, 0, plain_cost(), {}) == Approx(rounds * 3e-6));
  }
}

TEST_CASE("Links that are always loaded alike are one, and nothing changes", "[rounds]") {
  RoundCost cost = plain_cost();
  cost.rate_network = RoundCost::free;
  cost.wire[static_cast<std::size_t>(LinkKind::ib)] = 1.0625;
  for (const char* machine :
       {"dgx-h100x2.json", "dgx1-v100x2.json", "a100x16-oversubscribed.json", "dgx8x64.json"}) {
    const auto topology = shipped(machine);
    const Communicator c = everybody(*topology, std::min<std::size_t>(32, topology->gpu_count()));
    for (const Algorithm* algorithm : round_algorithms())
      for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_to_all}) {
        const std::int64_t size = 16 << 20;
        const PlanRequest request{.communicator = &c, .op = op, .size = Bytes{size}};
        if (!algorithm->supports(op) || !algorithm->unfit(request).empty()) continue;
        INFO(machine << ' ' << algorithm->name << ' ' << name_of(op));
        const Schedule schedule = algorithm->plan(request);
        const MessageLinks links(schedule, c);
        std::vector<double> capacities;
        for (const auto& resource : links.resources()) capacities.push_back(resource.nominal);
        CHECK(capacities.size() < topology->link_count());
        const double folded = at_steps(schedule, links.paths(c), size, cost, capacities).seconds;
        const auto all = capacities_of(*topology);
        CHECK(folded == Approx(at_steps(schedule, paths_along_routes(c), size, cost, all).seconds)
                            .epsilon(1e-9));
        const double form = closed(schedule, paths_along_routes(c), size, cost, all);
        CHECK(closed(schedule, links.paths(c), size, cost, capacities) ==
              Approx(form).epsilon(1e-9));
        auto phases = plan_phases(schedule, paths_along_routes(c), all.size());
        std::vector<double> kept;
        for (const std::uint32_t resource : fold_phases(phases, all)) kept.push_back(all[resource]);
        CHECK(alone_seconds(price_phases(schedule, phases, Bytes{size}, cost, kept), kept) ==
              Approx(form).epsilon(1e-7));
      }
  }
}

TEST_CASE("Times of rounds, large", "[.rounds_speed]") {
  const auto topology = shipped("dgx8x64.json");
  const Communicator c = everybody(*topology);
  RoundCost cost;
  cost.latency_local = 5e-6;
  cost.latency_network = 15e-6;
  for (const char* name : {"direct", "pairwise", "halving_doubling"}) {
    const CollectiveOp op = name[0] == 'h' ? CollectiveOp::all_reduce : CollectiveOp::all_to_all;
    const Schedule schedule = rounds_of(name, c, op, 64 << 20);
    const std::clock_t begin = std::clock();
    const MessageLinks links(schedule, c);
    std::vector<double> folded;
    for (const auto& resource : links.resources()) folded.push_back(resource.nominal);
    const Outcome outcome = at_steps(schedule, links.paths(c), 64 << 20, cost, folded);
    const double spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    WARN(name << ": " << outcome.seconds << " s simulated, " << outcome.messages << " messages, "
              << outcome.solves << " solves, " << spent << " s");
  }
  for (const char* name : {"direct", "pairwise"}) {
    const Schedule all_to_all = rounds_of(name, c, CollectiveOp::all_to_all);
    const auto nominal = capacities_of(*topology);
    const std::clock_t start = std::clock();
    auto phases = plan_phases(all_to_all, paths_along_routes(c), nominal.size());
    const std::clock_t planned = std::clock();
    const auto kept = fold_phases(phases, nominal);
    WARN(name << " at fluid: planned in " << static_cast<double>(planned - start) / CLOCKS_PER_SEC
              << " s, folded to " << kept.size() << " resources in "
              << static_cast<double>(std::clock() - planned) / CLOCKS_PER_SEC << " s");
  }
  // 8,192 ranks without a topology of that size: a ring of caps.
  Communicator many = c;
  many.gpus.resize(8192);
  const Schedule schedule = rounds_of("halving_doubling", many, CollectiveOp::all_reduce, 64 << 20);
  const std::clock_t begin = std::clock();
  const auto own_nic = [](std::uint32_t from, std::uint32_t to, MessagePath& out) {
    out = {};
    out.loads = {{from, 1, LinkKind::ib}, {8192 + to, 1, LinkKind::ib}};
  };
  const Outcome outcome =
      at_steps(schedule, own_nic, 64 << 20, cost, std::vector<double>(2 * 8192, 5e10));
  const double spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  WARN("8,192 ranks: " << outcome.seconds << " s simulated, " << outcome.messages << " messages, "
                       << outcome.solves << " solves, " << spent << " s");
}
