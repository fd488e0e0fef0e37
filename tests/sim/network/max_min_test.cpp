#include "sim/network/max_min.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace dsim;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::vector<double> solve(const MaxMinProblem& problem) {
  std::vector<double> rates(problem.activities());
  MaxMinScratch scratch;
  max_min_rates(problem, rates, scratch);
  return rates;
}

// The definition of the header, checked directly. Returns a sentence, empty if it holds.
std::string violation(const MaxMinProblem& p, const std::vector<double>& x) {
  std::vector<double> used(p.capacity.size(), 0), fastest(p.capacity.size(), 0);
  for (std::size_t a = 0; a < p.activities(); ++a)
    for (auto i = p.first[a]; i < p.first[a + 1]; ++i) {
      used[p.loads[i].resource] += p.loads[i].coefficient * x[a];
      fastest[p.loads[i].resource] = std::max(fastest[p.loads[i].resource], x[a] / p.weight[a]);
    }
  for (std::size_t r = 0; r < used.size(); ++r)
    if (used[r] > p.capacity[r] * (1 + 1e-9) + 1e-12) return "resource over capacity";
  for (std::size_t a = 0; a < p.activities(); ++a) {
    if (!(x[a] >= 0) || x[a] > p.cap[a] * (1 + 1e-12)) return "rate out of range";
    bool justified = x[a] >= p.cap[a] * (1 - 1e-9);
    for (auto i = p.first[a]; i < p.first[a + 1] && !justified; ++i) {
      const auto r = p.loads[i].resource;
      justified = used[r] >= p.capacity[r] * (1 - 1e-9) - 1e-12 &&
                  fastest[r] <= x[a] / p.weight[a] * (1 + 1e-9) + 1e-12;
    }
    if (!justified) return "an activity is neither at its cap nor bottlenecked";
  }
  return {};
}

}  // namespace

TEST_CASE("two flows share a link evenly and a third takes what is left of another") {
  // capacity 10: x0 + x1 = 10; link 1, capacity 20: x1 + x2 = 20  =>  5, 5, 15
  MaxMinProblem p;
  p.capacity = {10, 20};
  const Load on0[] = {{0, 1}}, both[] = {{0, 1}, {1, 1}}, on1[] = {{1, 1}};
  p.add(infinite, 1, on0);
  p.add(infinite, 1, both);
  p.add(infinite, 1, on1);
  CHECK(solve(p) == std::vector<double>{5, 5, 15});
}

TEST_CASE("weights divide a link in their ratio, and a cap gives the rest to the others") {
  MaxMinProblem p;
  p.capacity = {12};
  const Load load[] = {{0, 1}};
  p.add(infinite, 1, load);
  p.add(infinite, 3, load);
  CHECK(solve(p) == std::vector<double>{3, 9});
  p.cap[1] = 6;
  CHECK(solve(p) == std::vector<double>{6, 6});
}

TEST_CASE("a coefficient counts how often an activity crosses a resource") {
  // 2 x0 + x1 = 9 at equal rates => 3 each
  MaxMinProblem p;
  p.capacity = {9};
  const Load twice[] = {{0, 2}}, once[] = {{0, 1}};
  p.add(infinite, 1, twice);
  p.add(infinite, 1, once);
  CHECK(solve(p) == std::vector<double>{3, 3});
}

TEST_CASE("no activity, no load and zero capacity are answered") {
  MaxMinProblem p;
  CHECK(solve(p).empty());
  p.capacity = {0};
  const Load load[] = {{0, 1}};
  p.add(5, 1, {});
  p.add(5, 1, load);
  CHECK(solve(p) == std::vector<double>{5, 0});
}

TEST_CASE("random systems satisfy the definition of weighted max-min sharing") {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    MaxMinProblem p;
    const unsigned resources = 1 + pick(12), activities = 1 + pick(20);
    const bool symmetric = pick(3) == 0;  // many ties
    for (unsigned r = 0; r < resources; ++r)
      p.capacity.push_back(symmetric ? 10.0 : pick(15) == 0 ? 0.0 : 0.1 + pick(1000) * 0.1);
    for (unsigned a = 0; a < activities; ++a) {
      std::vector<Load> loads;
      for (unsigned r = 0; r < resources; ++r)
        if (pick(3) == 0) loads.push_back({r, symmetric ? 1.0 : 0.25 + pick(16) * 0.25});
      const double cap = loads.empty() || pick(3) == 0 ? 0.5 + pick(100) : infinite;
      p.add(cap, symmetric ? 1.0 : 0.5 + pick(8), loads);
    }
    CAPTURE(seed);
    REQUIRE(violation(p, solve(p)) == "");
  }
}
