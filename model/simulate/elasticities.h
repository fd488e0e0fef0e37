#pragma once
#include <stop_token>
#include <vector>

#include "model/simulate/scenario.h"

namespace dsim {

/// Simulates again with every uncertain constant moved by one standard deviation and with every
/// resource or choice a planner can change; constants first. Runs on all cores, same result on any
/// number of them.
std::vector<Elasticity> elasticities(const Scenario& base, double base_step_s, std::stop_token stop,
                                     const std::function<void(double)>& progress);

/// The 90 % interval around a step time: each constant's effect for one standard deviation and the
/// scatter between like machines, added as independent, log-normal.
struct Interval {
  double low = 0, high = 0;
};
Interval interval90(double step_s, const std::vector<Elasticity>& changes);

}  // namespace dsim
