#pragma once
// Samples -> parameters: robust least squares with a Gaussian prior, by Gauss-Newton.
//   minimise  sum_blocks weight * sum_i rho(r_i(x))  +  sum_j (x_j / sigma_j)^2
// rho is Huber's: r^2 up to `huber`, then 2 huber |r| - huber^2. Residuals are in units of the
// noise, parameters are offsets from what was believed before (logs of multipliers, by habit).
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace dsim {

/// Samples that are predicted together, from the parameters they depend on.
struct FitBlock {
  std::vector<std::size_t> parameters;  ///< indices into x
  std::size_t residuals = 0;
  double weight = 1;  ///< of each residual
  /// `values` are those parameters, in that order; fills all residuals with finite numbers.
  std::function<void(std::span<const double> values, std::span<double> residuals)> evaluate;
};

struct FitProblem {
  std::vector<double> sigma;  ///< prior of each parameter around 0; 0 holds it there
  std::vector<FitBlock> blocks;
};

struct FitOptions {
  double huber = 1.5;   ///< residuals above it count linearly
  int iterations = 10;  ///< at most
  double step = .01;    ///< of the finite differences
};

struct FitResult {
  std::vector<double> values;
  std::vector<double> deviations;  ///< standard deviation of each, prior included
  double cost = 0;
  int iterations = 0;
};

FitResult fit(const FitProblem& problem, const FitOptions& options = {});

/// The blocks as straight lines around x = `at`: what a fit without one of them costs is then only
/// algebra.
struct LinearisedBlock {
  std::vector<double> residuals;
  std::vector<double> slopes;  ///< residual-major: d r_i / d x_parameters[j]
};
std::vector<LinearisedBlock> linearise(const FitProblem& problem, std::span<const double> at,
                                       double step);
/// The minimum of the linearised problem, without block `left_out` if given.
std::vector<double> solve_linearised(const FitProblem& problem,
                                     std::span<const LinearisedBlock> lines,
                                     std::span<const double> at, const FitOptions& options,
                                     std::optional<std::size_t> left_out = {});

}  // namespace dsim
