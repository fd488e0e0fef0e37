#include "sim/network/max_min.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dsim {

namespace {
// Levels that differ by less than this count as one bottleneck, so that equal activities of a
// symmetric system are fixed together in spite of rounding.
constexpr double tie = 1e-12;
}  // namespace

std::uint32_t MaxMinProblem::add(double activity_cap, double activity_weight,
                                 std::span<const Load> activity_loads) {
  cap.push_back(activity_cap);
  weight.push_back(activity_weight);
  loads.insert(loads.end(), activity_loads.begin(), activity_loads.end());
  first.push_back(static_cast<std::uint32_t>(loads.size()));
  return static_cast<std::uint32_t>(cap.size() - 1);
}

// Progressive filling. All activities that are not fixed yet have rate = level * weight. The level
// rises until an activity reaches its cap or a resource saturates:
//   level(r) = (capacity[r] - used[r]) / pressure[r],  pressure[r] = sum of coefficient * weight
// over the activities of r that are not fixed. Then those are fixed and the level rises again.
void max_min_rates(const MaxMinProblem& problem, std::span<double> rates, MaxMinScratch& s) {
  const std::size_t activities = problem.activities();
  const std::size_t resources = problem.capacity.size();
  s.used.assign(resources, 0);
  s.pressure.assign(resources, 0);
  s.fixed.assign(activities, 0);
  s.first_user.assign(resources + 1, 0);
  for (const Load& load : problem.loads) ++s.first_user[load.resource + 1];
  for (std::size_t r = 0; r < resources; ++r) s.first_user[r + 1] += s.first_user[r];
  s.fill.assign(s.first_user.begin(), s.first_user.end() - 1);
  s.users.resize(problem.loads.size());
  for (std::uint32_t a = 0; a < activities; ++a)
    for (std::uint32_t i = problem.first[a]; i < problem.first[a + 1]; ++i) {
      const Load& load = problem.loads[i];
      s.users[s.fill[load.resource]++] = a;
      s.pressure[load.resource] += load.coefficient * problem.weight[a];
    }

  // Activities by cap per weight, so that the next cap is found in constant time.
  s.order.resize(activities);
  std::iota(s.order.begin(), s.order.end(), 0u);
  std::sort(s.order.begin(), s.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return problem.cap[a] * problem.weight[b] < problem.cap[b] * problem.weight[a];
  });
  s.active.clear();
  for (std::uint32_t r = 0; r < resources; ++r)
    if (s.pressure[r] > 0) s.active.push_back(r);

  const auto fix = [&](std::uint32_t a, double rate) {
    s.fixed[a] = 1;
    rates[a] = rate;
    for (std::uint32_t i = problem.first[a]; i < problem.first[a + 1]; ++i) {
      const Load& load = problem.loads[i];
      s.used[load.resource] += load.coefficient * rate;
      s.pressure[load.resource] -= load.coefficient * problem.weight[a];
    }
  };

  std::size_t next_cap = 0, left = activities;
  while (left > 0) {
    while (s.fixed[s.order[next_cap]]) ++next_cap;
    const std::uint32_t smallest = s.order[next_cap];
    const double cap_level = problem.cap[smallest] / problem.weight[smallest];
    double level = std::numeric_limits<double>::infinity();
    std::size_t kept = 0;
    for (const std::uint32_t r : s.active) {
      bool in_use = false;
      for (std::uint32_t u = s.first_user[r]; u < s.first_user[r + 1] && !in_use; ++u)
        in_use = !s.fixed[s.users[u]];
      if (!in_use) continue;
      s.active[kept++] = r;
      level = std::min(level, std::max(0.0, problem.capacity[r] - s.used[r]) / s.pressure[r]);
    }
    s.active.resize(kept);

    if (cap_level <= level) {
      while (next_cap < activities) {
        const std::uint32_t a = s.order[next_cap];
        if (!s.fixed[a]) {
          if (problem.cap[a] > cap_level * problem.weight[a] * (1 + tie)) break;
          fix(a, problem.cap[a]);
          --left;
        }
        ++next_cap;
      }
      continue;
    }
    // Saturated resources are decided before any is fixed, because fixing moves used and pressure.
    s.fill.clear();
    for (const std::uint32_t r : s.active)
      if (std::max(0.0, problem.capacity[r] - s.used[r]) <= level * s.pressure[r] * (1 + tie))
        s.fill.push_back(r);
    for (const std::uint32_t r : s.fill)
      for (std::uint32_t u = s.first_user[r]; u < s.first_user[r + 1]; ++u) {
        const std::uint32_t a = s.users[u];
        if (s.fixed[a]) continue;
        fix(a, std::min(problem.cap[a], level * problem.weight[a]));
        --left;
      }
  }
}

}  // namespace dsim
