#pragma once
#include <memory>
#include <string>
#include <vector>

#include "model/collective/fidelity.h"
#include "model/collective/fluid_run.h"
#include "model/collective/timing.h"
#include "model/simulate/executor.h"
#include "model/simulate/plans.h"

namespace dsim {

/// A collective call of a workload: chosen, planned and ready to run.
struct Call {
  const Plan* plan = nullptr;
  const Algorithm* algorithm = nullptr;
  Protocol protocol = Protocol::simple;
  std::vector<Granularity> granularity;  ///< by group
  std::vector<StepCost> cost;            ///< by group
  std::vector<std::vector<HopRates>> rates;  ///< by group and channel, alone; `steps` only
  FluidCollective fluid;                 ///< all groups; fluid and closed
  std::uint32_t channels = 0;
  std::uint32_t first_resource = 0;  ///< of the plan's links in the executor's network
};

/// All calls of a workload at a fidelity, with the network resources they share.
class Calls {
 public:
  /// `algorithm` empty: chosen as NCCL does. Throws InputError if it cannot run an operation.
  Calls(const Workload& workload, Plans& plans, const CollectiveConstants& constants,
        Fidelity fidelity, std::string_view algorithm);

  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<double>& link_capacities() const { return capacities_; }
  std::vector<double> held_sms() const;
  /// Adds what the collectives do to the memories of the classes: resource ids from `setup`.
  void load_memory(const ExecutionSetup& setup);
  RunnerFactory runner() const;

 private:
  const Workload& workload_;
  const CollectiveConstants& constants_;
  Fidelity fidelity_;
  std::vector<Call> calls_;
  std::vector<double> capacities_;
  std::unique_ptr<LinkResources> unfolded_;  // steps
  std::vector<std::vector<std::size_t>>
      unfolded_index_;  // by call and group: schedule in unfolded_
};

}  // namespace dsim
