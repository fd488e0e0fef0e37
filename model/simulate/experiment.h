#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "model/collective/fidelity.h"
#include "model/collective/nccl/settings.h"
#include "model/collective/protocol.h"
#include "model/simulate/campaign.h"
#include "model/simulate/report.h"
#include "model/strategy/options.h"
#include "sim/network/topology.h"

namespace dsim {

struct Straggler {
  std::uint32_t rank = 0;
  double factor = 1;  ///< kernel times of this rank are multiplied by it; > 0
};

/// One training job.
struct Job {
  std::string model = "bert-large";  ///< name, or file of a config or of layers
  std::shared_ptr<const ModelKind> kind;  ///< if set, this and not `model`
  std::int64_t micro_batch = 0;  ///< per GPU; 0 = the model's default
  std::int64_t sequence = 0;     ///< 0 = the model's default
  Precision precision = Precision::bf16;
  bool precision_given = false;  ///< else the best the GPU has (bf16, or fp16 on Volta)
  Fusion fusion = Fusion::eager;
  AttentionKernel attention = AttentionKernel::automatic;
  std::string optimizer;        ///< empty = the model's default
  TrainingOptions training;
  double launch_seconds = 0;  ///< host time of a forward kernel launch; 0 = built in. Backward and
                              ///< optimizer launches scale with it
  double backward_launch_seconds = 0;  ///< of a backward kernel launch; 0 = scales with forward
  std::optional<bool> half_weights;  ///< empty = as the strategy keeps them
  double optimizer_bytes = 0;  ///< HBM bytes a parameter and step; 0 = the optimizer's own
  Fp8Recipe fp8_recipe = Fp8Recipe::delayed;  ///< of precision fp8
  double input_rate = 0;  ///< samples/s that the data loader of a GPU gives; 0 = no limit
  double fp8_gain = 0;  ///< a 16-bit GEMM's time over that of the job's fp8 recipe; 0 = the GPU's own
  std::vector<std::uint32_t> ranks;  ///< GPUs it runs on, in rank order; empty = all, packed
};

/// Everything a simulation depends on.
struct Experiment {
  std::shared_ptr<const Topology> topology;
  std::vector<Job> jobs{Job{}};
  std::vector<Straggler> stragglers;
  Fidelity fidelity = Fidelity::fluid;
  std::optional<Routing> routing;  ///< empty = the topology's own
  std::string algorithm;           ///< empty = chosen
  std::optional<Protocol> protocol;  ///< empty = chosen
  NcclSettings nccl;                 ///< NCCL's release and environment variables
  double jitter = 0;                 ///< sigma of a rank's compute time from step to step
  CampaignOptions campaign;
  std::uint64_t seed = 1;
};

/// How to run, apart from what.
struct RunControl {
  std::stop_token stop;
  std::function<void(double fraction)> progress;  ///< called rarely, from the simulating thread
  bool record_timeline = false;
  std::vector<std::uint32_t> timeline_ranks;  ///< empty = one of each class
  bool elasticities = true;
  bool scaling = true;  ///< efficiency against one GPU and one node
};

/// The one door: command line, GUI, tests, planner and validation come through here.
/// Throws InputError for an experiment that cannot be (unknown model, more ranks than GPUs).
Report simulate(const Experiment& experiment, const RunControl& control = {});

}  // namespace dsim
