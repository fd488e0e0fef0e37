#pragma once
// From the text of a table's header to how NCCL was run: its version, its settings, its launch.
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/validate/collective/stated_run.h"
#include "model/collective/nccl/settings.h"
#include "model/compute/gpu.h"

namespace dsim {

/// What was made of a header, and what had to be assumed for it.
struct RunConditions {
  NcclSettings nccl;
  double launch_floor = 0;  ///< s
  std::vector<std::string> assumptions;
};

/// A release of NCCL and when it came out (tags of NVIDIA/nccl).
struct NcclRelease {
  std::string_view version, month;  ///< "2021-07"
};
const std::vector<NcclRelease>& nccl_releases();
/// The last release that was half a year old in that month ("2023-03-21 (repo commit)"); "" if the
/// text holds no date. Half a year is what lies between date and version where tables state both.
std::string_view release_of_date(std::string_view date);

/// KEY=VALUE pairs of a header's `env`; prose around them is dropped. Pairs that the text itself
/// doubts ("appears in the job text") are left out and `doubted` tells so.
std::vector<std::string> env_pairs(std::string_view env, bool& doubted);

/// A process that drives all GPUs of a node launches its kernels one after the other.
bool single_process(const StatedRun& run);
/// Seconds of that, for `gpus` GPUs.
double launch_floor(Architecture architecture, std::string_view collective, std::int64_t gpus);

RunConditions conditions_of(const StatedRun& run, Architecture architecture, bool sockets);

}  // namespace dsim
