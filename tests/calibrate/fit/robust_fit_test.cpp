#include "calibrate/fit/robust_fit.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace dsim;

namespace {

/// Times of messages, latency exp(a) and rate exp(b) unknown: t = exp(a) + size / exp(b).
FitBlock messages(double a, double b, double noise, unsigned seed) {
  std::vector<double> sizes, times;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  for (double size = 1e-3; size < 1e4; size *= 2) {
    sizes.push_back(size);
    times.push_back((std::exp(a) + size / std::exp(b)) * std::exp(noise * normal(random)));
  }
  FitBlock block;
  block.parameters = {0, 1};
  block.residuals = sizes.size();
  block.evaluate = [sizes, times, noise](std::span<const double> x, std::span<double> out) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      out[i] =
          std::log((std::exp(x[0]) + sizes[i] / std::exp(x[1])) / times[i]) / std::max(noise, .01);
  };
  return block;
}

/// One residual: (slope . x - target) / noise, over all parameters.
FitBlock line(std::vector<double> slope, double target) {
  FitBlock block;
  for (std::size_t j = 0; j < slope.size(); ++j) block.parameters.push_back(j);
  block.residuals = 1;
  block.evaluate = [slope, target](std::span<const double> x, std::span<double> out) {
    out[0] = -target;
    for (std::size_t j = 0; j < slope.size(); ++j) out[0] += slope[j] * x[j];
  };
  return block;
}

}  // namespace

TEST_CASE("a fit recovers the constants that made the samples", "[fit]") {
  const double a = GENERATE(-.4, .3), b = GENERATE(-.5, .2);
  const FitResult exact = fit({{10, 10}, {messages(a, b, 0, 1)}});
  CHECK(exact.values[0] == Approx(a).margin(1e-3));
  CHECK(exact.values[1] == Approx(b).margin(1e-3));

  const FitResult noisy = fit({{10, 10}, {messages(a, b, .05, 7)}});
  CHECK(std::abs(noisy.values[0] - a) < 4 * noisy.deviations[0]);
  CHECK(std::abs(noisy.values[1] - b) < 4 * noisy.deviations[1]);
  CHECK(noisy.deviations[0] < .1);
}

TEST_CASE("the prior holds what the samples do not determine", "[fit]") {
  // Only the sum of two parameters is measured: they share it by their variances.
  const FitProblem problem{{.1, .2, .3}, {line({1, 1, 0}, .05)}};
  const FitResult result = fit(problem);
  const double data = 1, prior = .1 * .1 + .2 * .2;
  CHECK(result.values[0] + result.values[1] == Approx(.05 * prior / (prior + data)));
  CHECK(result.values[1] == Approx(4 * result.values[0]));
  CHECK(result.values[2] == 0);
  CHECK(result.deviations[2] == Approx(.3));
}

TEST_CASE("a parameter without freedom stays where it was", "[fit]") {
  const FitResult result = fit({{0, 1}, {line({1, 1}, 3)}});
  CHECK(result.values[0] == 0);
  CHECK(result.deviations[0] == 0);
  CHECK(result.values[1] > 0);
}

TEST_CASE("one absurd sample among many moves a fit little", "[fit]") {
  FitProblem problem{{100}, {}};
  for (int i = 0; i < 20; ++i) problem.blocks.push_back(line({1}, 1));
  problem.blocks.push_back(line({1}, 1000));
  // Twenty pulls of (x - 1) against one of the limit 1.5.
  CHECK(fit(problem).values[0] == Approx(1 + 1.5 / 20).epsilon(1e-3));
}

TEST_CASE("leaving a block out of the linearised problem is fitting without it", "[fit]") {
  FitProblem all{{1, 1}, {line({1, 0}, .3), line({1, 2}, -.2), line({0, 1}, .5)}};
  const std::vector<double> start{0, 0};
  const auto lines = linearise(all, start, .01);
  for (std::size_t out = 0; out < 3; ++out) {
    FitProblem rest = all;
    rest.blocks.erase(rest.blocks.begin() + static_cast<std::ptrdiff_t>(out));
    const auto expected = fit(rest).values;
    const auto found = solve_linearised(all, lines, start, {}, out);
    CHECK(found[0] == Approx(expected[0]).margin(1e-9));
    CHECK(found[1] == Approx(expected[1]).margin(1e-9));
  }
}
