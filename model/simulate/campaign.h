#pragma once
// A whole training run: steps, checkpoints, failures, money.
#include <cstdint>
#include <optional>
#include <string>

namespace dsim {

/// What a run is, beside its step. Zero = not given.
struct CampaignOptions {
  double tokens = 0;    ///< to train on; for images: samples
  double samples = 0;   ///< of these, one is given
  double dataset = 0;   ///< samples of an epoch: DistributedSampler pads each rank's share
  double mtbf_node_seconds = 0;       ///< mean time between failures of one node; 0 = never fails
  double checkpoint_every_seconds = 0;  ///< work between checkpoints; 0 = the best (Daly)
  double checkpoint_seconds = 0;      ///< the job stands still so long; 0 = state over bandwidth
  double storage_bandwidth = 0;       ///< B/s all ranks write together
  double restart_seconds = 0;         ///< failure to the first step again
  double price_gpu_hour = 0;          ///< currency units
  double gpu_watts = 0;               ///< of a GPU with its share of the rest
  bool asked() const {
    return tokens > 0 || samples > 0 || mtbf_node_seconds > 0 || price_gpu_hour > 0 ||
           gpu_watts > 0 || checkpoint_seconds > 0 || storage_bandwidth > 0 || dataset > 0;
  }
};

/// What the step is to the run.
struct CampaignStep {
  double step_seconds = 0;
  double samples = 0;          ///< a step, all ranks
  double tokens_per_sample = 0;
  std::int64_t gpus = 1, nodes = 1;
  std::int64_t replicas = 1;   ///< data-parallel ranks
  double state_bytes = 0;      ///< a checkpoint: parameters and optimizer, all ranks
};

/// The answer. Missing = not asked, or not to be known from what was given.
struct CampaignReport {
  double goodput = 1;             ///< useful share of the time
  double checkpoint_seconds = 0;
  double checkpoint_every_seconds = 0;
  bool checkpoint_interval_chosen = false;  ///< by Daly's rule
  double mtbf_seconds = 0;        ///< of the whole job
  std::optional<double> steps;
  std::optional<double> seconds;  ///< wall time, failures included
  std::optional<double> gpu_hours, cost, energy_kwh;
  std::optional<double> padded_samples;  ///< drawn twice an epoch so that ranks have equal shares
  std::optional<double> epoch_seconds;
};

/// Expected run time with failures that come at random (exponential), restart and lost work
/// included: J. T. Daly, "A higher order estimate of the optimum checkpoint interval", FGCS 2006.
/// InputError: a step or checkpoint that takes longer than the job lives between failures.
CampaignReport campaign(const CampaignOptions& options, const CampaignStep& step);

}  // namespace dsim
