#include "calibrate/fit/robust_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace dsim {
namespace {

double huber_loss(double r, double limit) {
  const double size = std::abs(r);
  return size <= limit ? r * r : limit * (2 * size - limit);
}

double huber_weight(double r, double limit) {
  const double size = std::abs(r);
  return size <= limit ? 1 : limit / size;
}

std::vector<double> values_of(const FitBlock& block, std::span<const double> x) {
  std::vector<double> values;
  for (const std::size_t parameter : block.parameters) values.push_back(x[parameter]);
  return values;
}

double cost_of(const FitProblem& problem, std::span<const double> x, double limit) {
  double cost = 0;
  for (const FitBlock& block : problem.blocks) {
    std::vector<double> residuals(block.residuals);
    block.evaluate(values_of(block, x), residuals);
    for (const double r : residuals) cost += block.weight * huber_loss(r, limit);
  }
  for (std::size_t j = 0; j < x.size(); ++j)
    if (problem.sigma[j] > 0) cost += std::pow(x[j] / problem.sigma[j], 2);
  return cost;
}

/// Left and right side of the normal equations for a step from `at`.
struct NormalEquations {
  Eigen::MatrixXd left;
  Eigen::VectorXd right;
};

NormalEquations prior_equations(const FitProblem& problem, std::span<const double> at) {
  const auto n = static_cast<Eigen::Index>(at.size());
  NormalEquations equations{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n)};
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto index = static_cast<std::size_t>(j);
    const double sigma = problem.sigma[index];
    // A parameter without freedom does not move.
    equations.left(j, j) = sigma > 0 ? 1 / (sigma * sigma) : 1;
    equations.right(j) = sigma > 0 ? -at[index] / (sigma * sigma) : 0;
  }
  return equations;
}

bool is_free(const FitProblem& problem, std::size_t parameter) {
  return problem.sigma[parameter] > 0;
}

/// Adds a block whose residuals weigh as they would after the step `d`.
void add_block(NormalEquations& equations, const FitProblem& problem, const FitBlock& block,
               const LinearisedBlock& line, const Eigen::VectorXd& d, double limit) {
  const std::size_t count = block.parameters.size();
  for (std::size_t i = 0; i < block.residuals; ++i) {
    const double* slopes = line.slopes.data() + i * count;
    double moved = line.residuals[i];
    for (std::size_t a = 0; a < count; ++a)
      moved += slopes[a] * d(static_cast<Eigen::Index>(block.parameters[a]));
    const double weight = block.weight * huber_weight(moved, limit);
    for (std::size_t a = 0; a < count; ++a) {
      if (!is_free(problem, block.parameters[a])) continue;
      const auto row = static_cast<Eigen::Index>(block.parameters[a]);
      equations.right(row) -= weight * slopes[a] * line.residuals[i];
      for (std::size_t b = 0; b < count; ++b)
        if (is_free(problem, block.parameters[b]))
          equations.left(row, static_cast<Eigen::Index>(block.parameters[b])) +=
              weight * slopes[a] * slopes[b];
    }
  }
}

NormalEquations normal_equations(const FitProblem& problem, std::span<const LinearisedBlock> lines,
                                 std::span<const double> at, const Eigen::VectorXd& d, double limit,
                                 std::optional<std::size_t> left_out) {
  NormalEquations equations = prior_equations(problem, at);
  for (std::size_t b = 0; b < problem.blocks.size(); ++b)
    if (b != left_out) add_block(equations, problem, problem.blocks[b], lines[b], d, limit);
  return equations;
}

}  // namespace

std::vector<LinearisedBlock> linearise(const FitProblem& problem, std::span<const double> at,
                                       double step) {
  std::vector<LinearisedBlock> lines;
  for (const FitBlock& block : problem.blocks) {
    const std::size_t count = block.parameters.size();
    LinearisedBlock line{std::vector<double>(block.residuals),
                         std::vector<double>(block.residuals * count)};
    std::vector<double> values = values_of(block, at), moved(block.residuals);
    block.evaluate(values, line.residuals);
    for (std::size_t a = 0; a < count; ++a) {
      if (!is_free(problem, block.parameters[a])) continue;
      const double value = values[a];
      values[a] = value + step;
      block.evaluate(values, moved);
      values[a] = value;
      for (std::size_t i = 0; i < block.residuals; ++i)
        line.slopes[i * count + a] = (moved[i] - line.residuals[i]) / step;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<double> solve_linearised(const FitProblem& problem,
                                     std::span<const LinearisedBlock> lines,
                                     std::span<const double> at, const FitOptions& options,
                                     std::optional<std::size_t> left_out) {
  Eigen::VectorXd d = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(at.size()));
  constexpr int reweightings = 25;
  for (int i = 0; i < reweightings; ++i) {
    const NormalEquations equations =
        normal_equations(problem, lines, at, d, options.huber, left_out);
    const Eigen::VectorXd next = equations.left.ldlt().solve(equations.right);
    const double change = (next - d).norm();
    d = next;
    if (change < 1e-9) break;
  }
  std::vector<double> values(at.begin(), at.end());
  for (std::size_t j = 0; j < values.size(); ++j) values[j] += d(static_cast<Eigen::Index>(j));
  return values;
}

FitResult fit(const FitProblem& problem, const FitOptions& options) {
  FitResult result;
  result.values.assign(problem.sigma.size(), 0);
  result.cost = cost_of(problem, result.values, options.huber);
  std::vector<LinearisedBlock> lines;
  while (result.iterations < options.iterations) {
    ++result.iterations;
    lines = linearise(problem, result.values, options.step);
    const std::vector<double> target = solve_linearised(problem, lines, result.values, options);
    // Half the step until it helps.
    double best = result.cost;
    std::vector<double> x = target;
    for (int halvings = 0; halvings < 6; ++halvings) {
      best = cost_of(problem, x, options.huber);
      if (best < result.cost) break;
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = (x[j] + result.values[j]) / 2;
    }
    if (best >= result.cost) break;
    const double gained = result.cost - best;
    result.values = x;
    result.cost = best;
    if (gained < 1e-6 * (1 + best)) break;
  }
  if (lines.empty()) lines = linearise(problem, result.values, options.step);
  const NormalEquations equations = normal_equations(
      problem, lines, result.values,
      Eigen::VectorXd::Zero(static_cast<Eigen::Index>(result.values.size())), options.huber, {});
  const Eigen::MatrixXd covariance = equations.left.inverse();
  for (std::size_t j = 0; j < result.values.size(); ++j)
    result.deviations.push_back(
        problem.sigma[j] > 0
            ? std::sqrt(covariance(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(j)))
            : 0);
  return result;
}

}  // namespace dsim
