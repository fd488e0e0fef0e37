#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace dsim {

/// An activity at rate x puts `coefficient * x` on `resource`. Requires coefficient > 0.
struct Load {
  std::uint32_t resource = 0;
  double coefficient = 1;
};

/// Who shares what. Activity a owns loads[first[a] .. first[a + 1]).
///
/// The answer x is the weighted max-min allocation:
///   for every resource r:  sum over a of coefficient(a, r) * x[a] <= capacity[r]     (feasible)
///   for every activity a:  x[a] == cap[a], or a crosses a saturated resource on which no
///                          activity has a larger x / weight.
/// Caps may be infinite where the activity crosses a resource. Weights are > 0; capacities >= 0.
struct MaxMinProblem {
  std::vector<double> capacity;
  std::vector<double> cap;
  std::vector<double> weight;
  std::vector<std::uint32_t> first{0};
  std::vector<Load> loads;

  std::size_t activities() const { return cap.size(); }
  /// Adds an activity and returns its index.
  std::uint32_t add(double activity_cap, double activity_weight,
                    std::span<const Load> activity_loads);
};

/// Memory that a repeated solve reuses.
struct MaxMinScratch {
  std::vector<double> used, pressure;
  std::vector<std::uint32_t> active, order;
  std::vector<std::uint32_t> first_user, users, fill;
  std::vector<char> fixed;
};

/// Fills rates[a] for every activity. Pure; cost about O(loads x distinct bottlenecks) at worst.
void max_min_rates(const MaxMinProblem& problem, std::span<double> rates, MaxMinScratch& scratch);

}  // namespace dsim
