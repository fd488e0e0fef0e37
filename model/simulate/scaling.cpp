#include "model/simulate/scaling.h"

#include <array>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

std::string_view name_of(ScalingMode mode) { return mode == ScalingMode::weak ? "weak" : "strong"; }

ScalingMode scaling_mode_from(std::string_view name) {
  if (name == "weak") return ScalingMode::weak;
  if (name == "strong") return ScalingMode::strong;
  constexpr std::array<std::string_view, 2> known{"weak", "strong"};
  throw InputError(unknown_name("scaling", name, known));
}

double Scaling::efficiency_to_first(std::size_t point) const {
  const auto per_gpu = [](const Report& report) {
    return report.throughput / static_cast<double>(report.gpus);
  };
  return per_gpu(points[point]) / per_gpu(points.front());
}

}  // namespace dsim
