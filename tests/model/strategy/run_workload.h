#pragma once
#include <memory>

#include "model/simulate/executor.h"
#include "model/workload/program.h"

namespace dsim {

/// Takes a given time, whatever is sent.
class ConstantRunner : public CollectiveRunner {
 public:
  ConstantRunner(Engine& engine, double seconds) : engine_(engine), seconds_(seconds) {}
  void start(Engine::Action done, void* self, std::uint64_t argument) override {
    engine_.schedule(engine_.now() + Time::from_seconds(seconds_), done, self, argument);
  }

 private:
  Engine& engine_;
  double seconds_;
};

/// Runs one step in which every collective takes `seconds` and nothing disturbs anything.
inline Execution run_workload(const Workload& workload, double seconds = 0, int iterations = 1) {
  ExecutionSetup setup;
  setup.workload = &workload;
  setup.sms = 100;
  setup.hbm_bandwidth = 1e30;
  setup.held_sms.assign(workload.collectives.size(), 0);
  setup.iterations = iterations;
  setup.runner = [seconds](Engine& engine, ActivityNetwork&, std::uint32_t) {
    return std::make_unique<ConstantRunner>(engine, seconds);
  };
  return execute(setup);
}

inline double step_seconds(const Execution& execution) {
  double longest = 0;
  for (const ClassExecution& c : execution.classes)
    longest = std::max(longest, (c.end - c.begin).seconds());
  return longest;
}

}  // namespace dsim
