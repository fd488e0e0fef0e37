#pragma once
// One job at several sizes of the cluster.
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/simulate/report.h"

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

}  // namespace dsim
