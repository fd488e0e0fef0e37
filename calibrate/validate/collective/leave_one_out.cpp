#include "calibrate/validate/collective/leave_one_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "calibrate/fit/robust_fit.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

/// A run that is predicted again and again with other constants.
struct FittedRun {
  MeasuredRun* run = nullptr;
  std::unique_ptr<CollectivePredictor> predictor;
  CollectiveConstants built_in;
  std::vector<std::size_t> parameters;  ///< of each constant visited, or `held`
  std::vector<std::size_t> points;      ///< that are fitted
};

struct Machine {
  std::string key;
  std::vector<std::size_t> runs;
  std::vector<std::size_t> parameters;  ///< of all its runs
};

constexpr std::size_t held = static_cast<std::size_t>(-1);

/// Constants that share name and value are one parameter.
class Parameters {
 public:
  std::size_t add(std::string_view name, const Constant& constant) {
    if (constant.sigma <= 0 || constant.value <= 0) return held;
    const auto [entry, fresh] =
        indices_.try_emplace(fmt::format("{}={:.9g}", name, constant.value), sigma_.size());
    if (fresh) sigma_.push_back(constant.sigma);
    return entry->second;
  }
  const std::vector<double>& sigma() const { return sigma_; }

 private:
  std::map<std::string, std::size_t> indices_;
  std::vector<double> sigma_;
};

/// Sets the constants of a run to built-in x exp(x of its parameters).
void set_constants(FittedRun& fitted, const std::function<double(std::size_t)>& value_of) {
  CollectiveConstants constants = fitted.built_in;
  std::size_t i = 0;
  constants.visit([&](std::string_view, Constant& constant) {
    if (const std::size_t parameter = fitted.parameters[i++]; parameter != held)
      constant.value *= std::exp(value_of(parameter));
  });
  fitted.predictor->constants() = constants;
}

double predicted(FittedRun& fitted, const ComparedPoint& point) {
  CollectiveQuery query;
  query.op = fitted.run->plan.op;
  query.size = Bytes{point.bytes};
  query.type = fitted.run->plan.type;
  return fitted.predictor->predict(query).seconds;
}

/// At most `wanted` of the compared points, evenly spread.
std::vector<std::size_t> spread(const MeasuredRun& run, std::size_t wanted) {
  std::vector<std::size_t> all, chosen;
  for (std::size_t i = 0; i < run.points.size(); ++i)
    if (run.points[i].status == PointStatus::compared) all.push_back(i);
  const std::size_t count = std::min(wanted, all.size());
  for (std::size_t k = 0; k < count; ++k)
    chosen.push_back(all[count == 1 ? 0 : k * (all.size() - 1) / (count - 1)]);
  return chosen;
}

class Study {
 public:
  Study(CollectiveValidation& validation, const LeaveOneOutOptions& options) : options_(options) {
    for (MeasuredRun& run : validation.runs)
      if (run.health == Health::healthy && run.plan.setup) add(run);
  }

  FitProblem problem() {
    FitProblem problem{parameters_.sigma(), {}};
    for (Machine& machine : machines_) {
      FitBlock block;
      block.parameters = machine.parameters;
      for (const std::size_t run : machine.runs) block.residuals += runs_[run].points.size();
      block.weight = options_.machine_points / static_cast<double>(block.residuals);
      block.evaluate = [this, &machine](std::span<const double> values,
                                        std::span<double> residuals) {
        evaluate(machine, values, residuals);
      };
      problem.blocks.push_back(std::move(block));
    }
    return problem;
  }

  std::size_t machines() const { return machines_.size(); }

  /// Predicts every point of a machine by these parameters.
  void predict(std::size_t machine, std::span<const double> x) {
    for (const std::size_t r : machines_[machine].runs) {
      FittedRun& fitted = runs_[r];
      set_constants(fitted, [&](std::size_t parameter) { return x[parameter]; });
      for (ComparedPoint& point : fitted.run->points)
        if (point.status == PointStatus::compared) point.left_out_s = predicted(fitted, point);
    }
  }

 private:
  void add(MeasuredRun& run) {
    FittedRun fitted;
    fitted.run = &run;
    fitted.points = spread(run, options_.points_per_run);
    if (fitted.points.empty()) return;
    fitted.predictor = std::make_unique<CollectivePredictor>(*run.plan.setup);
    fitted.built_in = fitted.predictor->constants();
    fitted.built_in.visit([&](std::string_view name, Constant& constant) {
      fitted.parameters.push_back(parameters_.add(name, constant));
    });
    auto machine = std::ranges::find(machines_, run.machine_key(), &Machine::key);
    if (machine == machines_.end()) {
      machines_.push_back({run.machine_key(), {}, {}});
      machine = machines_.end() - 1;
    }
    machine->runs.push_back(runs_.size());
    for (const std::size_t parameter : fitted.parameters)
      if (parameter != held &&
          std::ranges::find(machine->parameters, parameter) == machine->parameters.end())
        machine->parameters.push_back(parameter);
    runs_.push_back(std::move(fitted));
  }

  void evaluate(const Machine& machine, std::span<const double> values,
                std::span<double> residuals) {
    std::size_t at = 0;
    for (const std::size_t r : machine.runs) {
      FittedRun& fitted = runs_[r];
      set_constants(fitted, [&](std::size_t parameter) {
        const auto place = std::ranges::find(machine.parameters, parameter);
        return values[static_cast<std::size_t>(place - machine.parameters.begin())];
      });
      for (const std::size_t i : fitted.points) {
        const ComparedPoint& point = fitted.run->points[i];
        residuals[at++] = std::log(predicted(fitted, point) / point.measured_s) / options_.noise;
      }
    }
  }

  LeaveOneOutOptions options_;
  Parameters parameters_;
  std::vector<FittedRun> runs_;
  std::vector<Machine> machines_;
};

}  // namespace

void leave_one_out(CollectiveValidation& validation, const LeaveOneOutOptions& options,
                   const CollectiveProgress& progress) {
  Study study(validation, options);
  const FitProblem problem = study.problem();
  const FitOptions fit_options;
  // One linearisation, at the published constants, serves every fold: no fold has seen its machine.
  const std::vector<double> start(problem.sigma.size(), 0);
  const std::vector<LinearisedBlock> lines = linearise(problem, start, fit_options.step);
  for (std::size_t machine = 0; machine < study.machines(); ++machine) {
    study.predict(machine, solve_linearised(problem, lines, start, fit_options, machine));
    if (progress) progress(machine + 1, study.machines());
  }
  validation.left_out = true;
}

}  // namespace dsim
