#pragma once
// What a person has set so far, before it is held against the topology and the model.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/simulate/experiment.h"
#include "model/simulate/placement.h"
#include "sim/network/topology.h"

namespace dsim {

/// Settings as given; what is empty is left to the model, the topology or the simulator.
struct ExperimentDraft {
  std::vector<std::string> nccl;  ///< KEY=VALUE as given
  std::string nccl_version;       ///< empty = the default

  std::string topology;               ///< file, or bare name of a shipped one
  std::optional<std::int64_t> gpus;   ///< the first N of the cluster
  std::optional<std::int64_t> nodes;  ///< the first N nodes of the cluster
  std::optional<std::int64_t> global_batch;
  std::optional<std::int64_t> accumulate;
  std::optional<Fusion> fusion;
  bool strategy_given = false, schedule_given = false;
  Placement placement = Placement::packed;
  std::string horovod_version;  ///< empty = the default
  Experiment experiment;  ///< everything else; its first job is the one described
};

/// Reads the draft's topology: the file as named, else the shipped one of that name. InputError.
std::shared_ptr<const Topology> draft_topology(const ExperimentDraft& draft);

/// The GPUs asked for: --gpus, --nodes x GPUs a node, or all of the topology. InputError if the two
/// disagree or the topology has fewer.
std::int64_t draft_gpus(const ExperimentDraft& draft, const Topology& topology);

/// The batch of one job: micro_batch x accumulate x gpus = global.
struct BatchPlan {
  std::int64_t micro_batch = 1;
  std::int64_t accumulate = 1;
};

/// Splits a global batch. What is given is kept; an accumulation that is not given follows from the
/// rest; a micro-batch that is not given is the largest one up to `default_micro_batch` that
/// divides. InputError with the nearest global batches that can be, if it does not come out even.
BatchPlan plan_batch(std::optional<std::int64_t> global_batch,
                     std::optional<std::int64_t> micro_batch,
                     std::optional<std::int64_t> accumulate, std::int64_t gpus,
                     std::int64_t default_micro_batch);

/// The experiment a draft describes on (the first GPUs of) a topology. InputError.
Experiment resolve(const ExperimentDraft& draft, const std::shared_ptr<const Topology>& topology);

}  // namespace dsim
