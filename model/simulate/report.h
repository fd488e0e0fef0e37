#pragma once
// The answer to an Experiment, as plain data. Faces (text, JSON, CSV, trace, GUI) read it.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/calibration.h"
#include "model/compute/memory.h"
#include "model/simulate/campaign.h"
#include "sim/trace/timeline.h"

namespace dsim {

/// Each instant of the slowest rank belongs to exactly one part, so they sum to the step time.
struct StepParts {
  double forward_s = 0, backward_s = 0, optimizer_s = 0, exposed_communication_s = 0, bubble_s = 0,
         launch_s = 0, input_s = 0, wait_s = 0;
  double sum() const {
    return forward_s + backward_s + optimizer_s + exposed_communication_s + bubble_s + launch_s +
           input_s + wait_s;
  }
};

/// One gradient bucket and its collective.
struct BucketReport {
  std::int64_t elements = 0;
  double bytes = 0;
  double ready_s = 0, start_s = 0, end_s = 0;
};

/// What changes when one thing is varied. Found by simulating again.
struct Elasticity {
  std::string name;        ///< "nic bandwidth", "kappa"
  std::string change;      ///< "NIC 800 Gb/s", "kappa +5 %"
  double step_time_s = 0;  ///< with the change
  double relative = 0;     ///< (changed - base) / base
  bool is_constant =
      false;  ///< an uncertain constant (feeds the interval) or a thing one can change
};

/// A shared resource and the time share it was busy.
struct ResourceLoad {
  std::string resource;      ///< "NIC uplink", "NVLink port", "SMs", "HBM"
  double load = 0;           ///< mean over the step, 0..1
  double load_backward = 0;  ///< mean while backward ran
};

/// An input that rests on a constant.
struct InputUse {
  std::string name;
  Constant constant;
};

struct Report {
  // What was simulated.
  std::string model_title, topology, framework = "PyTorch DDP", precision, optimizer, fidelity;
  std::string model_name, gpu_title, sample_unit;
  std::int64_t parameters = 0, micro_batch = 0, sequence = 0, accumulate = 1;
  std::int64_t gpus = 0, nodes = 0;
  Parallelism parallel{};  ///< degrees, all filled in
  std::int64_t global_batch() const {
    return micro_batch * accumulate * (parallel.data > 0 ? parallel.data : gpus);
  }
  std::string collective;  ///< "ring, 16 channels"
  std::uint32_t rank_classes = 1;

  // The answer.
  double step_time_s = 0, step_time_low_s = 0, step_time_high_s = 0;  ///< 90 % interval
  StepParts parts;
  double communication_s = 0;  ///< all collective time, hidden or not
  double throughput = 0;       ///< samples/s, all GPUs
  double tokens_per_s = 0;     ///< 0 for images
  double mfu = 0;
  std::string mfu_formula;
  std::optional<double> scaling_efficiency;  ///< against gpus x one GPU
  std::string scaling_efficiency_reason;     ///< why it is missing
  std::optional<double> scaling_efficiency_node;
  MemoryFootprint memory;  ///< of the pipeline stage that needs most
  std::vector<MemoryFootprint> memory_by_stage;
  std::string memory_advice;  ///< the smallest change that makes it fit, if it does not
  std::vector<BucketReport> buckets;
  double gradient_bytes = 0;
  ResourceLoad bottleneck;
  std::vector<ResourceLoad> loads;
  std::string bottleneck_sentence;
  std::vector<Elasticity> elasticities;
  std::vector<InputUse> inputs;
  std::optional<CampaignReport> campaign;    ///< if asked for
  std::vector<std::string> warnings;         ///< extrapolation, out of range
  std::shared_ptr<const Timeline> timeline;  ///< of the recorded ranks; null if not asked for
};

}  // namespace dsim
