#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/units.h"

namespace dsim {

enum class ControlPlane : std::uint8_t { gloo, mpi };

/// Horovod's knobs; defaults of the release (horovod/horovod 2626dc87, common/operations.cc):
/// 0.21 changed the cycle from 5 to 1 ms and the threshold from 64 to 128 MiB.
struct HorovodOptions {
  std::string version = "0.28.1";
  double cycle_seconds = 1e-3;
  Bytes fusion_threshold = 128_MiB;
  bool response_cache = true;
  ControlPlane control = ControlPlane::mpi;
  bool hierarchical = false;
  bool fp16_compression = false;
  std::int64_t backward_passes_per_step = 1;
  bool adasum = false;
  std::int64_t groups = 0;  ///< num_groups; 0 = none
  bool batched_copies = true;
};

/// Defaults of a release "X.Y.Z". InputError: not a release.
HorovodOptions horovod_defaults(std::string_view version);

}  // namespace dsim
