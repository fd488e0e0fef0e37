#pragma once
// One simulation with every input spelled out as values, so that a variation is a changed copy.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/collective/constants.h"
#include "model/simulate/calls.h"
#include "model/simulate/experiment.h"
#include "model/strategy/training.h"

namespace dsim {

struct Scenario {
  Gpu gpu;
  std::shared_ptr<const ModelKind> kind;
  ModelRequest request;
  OptimizerKind optimizer;
  TrainingOptions training;
  ComputeConstants compute;
  HostConstants host;
  CollectiveConstants collective;
  Constant gpu_spread;            ///< see model/compute/spread.h
  double input_bandwidth = 1;  ///< B/s from host to GPU
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_node = 1;  ///< of the first node
  std::vector<Straggler> stragglers;
  double input_rate = 0;  ///< samples/s a GPU; 0 = no limit
  double jitter = 0;
  std::uint64_t seed = 1;
  Fidelity fidelity = Fidelity::fluid;
  std::string algorithm;         ///< empty = chosen
  std::shared_ptr<Plans> plans;  ///< of the placement of these ranks

  /// Visits every uncertain constant.
  void visit(const ConstantVisitor& visitor);
};

/// PyTorch DDP alone: the gradient buckets of the report are its.
bool is_plain_ddp(const TrainingOptions& options);

/// What came out of one simulation.
struct Outcome {
  double step_s = 0;
  std::size_t slowest = 0;  ///< class index
  StepParts parts;
  double communication_s = 0;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Workload> workload;
  std::vector<Bucket> buckets;
  std::shared_ptr<const Calls> calls;
  Execution execution;
};

/// Runs the scenario. `detailed` keeps workload, calls and execution.
Outcome run_scenario(const Scenario& scenario, bool detailed, std::stop_token stop = {});

/// The scenario of an experiment's first job with built-in constants. InputError where it cannot
/// be.
Scenario make_scenario(const Experiment& experiment);

/// The same on fewer ranks, the first ones of the placement.
Scenario with_ranks(const Scenario& scenario, const Experiment& experiment, std::uint32_t ranks);

}  // namespace dsim
