#pragma once
#include <map>
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
  const Plan* plan = nullptr;  ///< null: timed alone, shares no links
  std::string algorithm;
  Protocol protocol = Protocol::simple;
  std::vector<Granularity> granularity;  ///< by group
  std::vector<StepCost> cost;            ///< by group
  std::vector<std::vector<HopRates>> rates;  ///< by group and channel, alone; `steps` only
  FluidCollective fluid;                 ///< all groups; fluid and closed
  double alone_seconds = 0;              ///< without a plan
  std::uint32_t channels = 0;
  std::vector<std::vector<std::uint32_t>> groups;  ///< of the family, those that are simulated
};

/// All calls of a workload at a fidelity, with the network resources they share. Calls of the same
/// operation, family and size are prepared once.
class Calls {
 public:
  /// `algorithm` empty: chosen as NCCL does. Throws InputError if it cannot run an operation.
  Calls(const Workload& workload, Plans& plans, const CollectiveConstants& constants,
        Fidelity fidelity, std::string_view algorithm);

  /// Of Workload::collectives[index].
  const Call& call(std::size_t index) const { return prepared_[index_[index]]; }
  std::size_t prepared_index(std::size_t index) const { return index_[index]; }
  const std::vector<Call>& prepared() const { return prepared_; }
  const std::vector<double>& link_capacities() const { return capacities_; }
  std::vector<double> held_sms() const;  ///< by call of the workload
  /// Adds what the collectives do to the memories of the classes: resource ids from `setup`.
  void load_memory(const ExecutionSetup& setup);
  RunnerFactory runner() const;

 private:
  Call choose(const CollectiveCall& request, Plans& plans, std::string_view algorithm);
  void place(Plans& plans);
  void prepare(Call& call, const CollectiveCall& request, const LinkResources& links,
               std::size_t first_schedule, std::uint32_t first_resource);

  const Workload& workload_;
  const CollectiveConstants& constants_;
  Fidelity fidelity_;
  std::vector<Call> prepared_;
  std::vector<std::size_t> index_, first_use_;  ///< call -> prepared, prepared -> its first call
  std::vector<Plans::Chosen> chosen_;           ///< by prepared
  std::vector<double> capacities_;
  std::unique_ptr<LinkResources> unfolded_;            ///< steps
  std::map<const Plan*, std::size_t> first_schedule_;  ///< in unfolded_ or in the plans together
};

}  // namespace dsim
