#pragma once
// One job at several sizes of the cluster.
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/simulate/draft.h"

namespace dsim {

/// weak: the work of a GPU stays; strong: the global batch stays.
enum class ScalingMode : std::uint8_t { weak, strong };
std::string_view name_of(ScalingMode mode);
ScalingMode scaling_mode_from(std::string_view name);  ///< InputError lists the known ones

/// Reports in order of rising GPU count.
struct Scaling {
  ScalingMode mode = ScalingMode::weak;
  std::vector<Report> points;

  /// Throughput a GPU against that at the smallest size.
  double efficiency_to_first(std::size_t point) const;
};

/// Simulates a draft at each GPU count (which replaces its own). In strong scaling without a global
/// batch that of the largest count is taken; smaller ones accumulate. Every point is checked before
/// the first is simulated. InputError.
Scaling simulate_scaling(const ExperimentDraft& draft, const std::vector<std::int64_t>& gpu_counts,
                         ScalingMode mode, const RunControl& control = {});

}  // namespace dsim
