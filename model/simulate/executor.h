#pragma once
// Runs a Workload: the programs of its rank classes on an Engine, kernels and collectives on one
// ActivityNetwork, so that what overlaps also disturbs each other.
#include <functional>
#include <stop_token>
#include <vector>

#include "model/collective/fluid_run.h"
#include "model/workload/program.h"
#include "sim/engine/engine.h"
#include "sim/network/activity_network.h"
#include "sim/trace/timeline.h"

namespace dsim {

/// Starts the data movement of a collective; calls `done(self, argument)` at its end.
class CollectiveRunner {
 public:
  virtual ~CollectiveRunner() = default;
  virtual void start(Engine::Action done, void* self, std::uint64_t argument) = 0;
};

/// Makes the runner of call `call` (an index into Workload::collectives).
using RunnerFactory = std::function<std::unique_ptr<CollectiveRunner>(
    Engine& engine, ActivityNetwork& network, std::uint32_t call)>;

/// Everything the executor needs beside the programs.
struct ExecutionSetup {
  const Workload* workload = nullptr;
  std::vector<double> link_capacities;  ///< resources 0.. of the network
  double sms = 1;                       ///< of a GPU: resource sm(class)
  double hbm_bandwidth = 1;             ///< B/s a GPU's memory gives: resource hbm(class)
  double launch_latency = 0;            ///< s from issue to the earliest start
  std::vector<double> held_sms;         ///< by call: SMs its CTAs keep from arrival to end
  RunnerFactory runner;
  int iterations = 2;  ///< the last one is the steady step
  std::stop_token stop;

  std::uint32_t sm(std::size_t rank_class) const {
    return static_cast<std::uint32_t>(link_capacities.size() + 2 * rank_class);
  }
  std::uint32_t hbm(std::size_t rank_class) const { return sm(rank_class) + 1; }
};

/// When and why a task of the last iteration ran.
struct TaskRecord {
  Time issued, start, end;
  Time data_start;  ///< collectives: when the last rank had arrived
  Release release = Release::start;
  TaskId released_by;  ///< of the same class and iteration; invalid otherwise
};

struct ClassExecution {
  std::vector<TaskRecord> tasks;  ///< by task of the class's program
  Time begin, end;                ///< of the step: ends of the last compute task
  Time host_begin, host_end;      ///< of issuing
};

struct Execution {
  std::vector<ClassExecution> classes;
  std::uint64_t events = 0;
  bool stopped = false;  ///< the stop token was set
};

Execution execute(const ExecutionSetup& setup);

}  // namespace dsim
