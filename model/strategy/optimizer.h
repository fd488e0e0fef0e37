#pragma once
#include <string_view>
#include <vector>

#include "model/calibration.h"

namespace dsim {

/// An optimizer: HBM bytes a parameter and step (parameters, gradients, states, compute copy).
struct OptimizerKind {
  std::string_view name, help;
  Constant bytes_per_parameter_mixed;  ///< fp16/bf16 training with fp32 master weights
  Constant bytes_per_parameter_full;   ///< fp32/tf32 training
  double state_bytes_per_parameter;    ///< memory: fp32 moments
  int kernels_per_step;                ///< launches when fused or foreach
};

/// Finds an optimizer by name; InputError lists the known ones.
const OptimizerKind& optimizer_kind(std::string_view name);
std::vector<const OptimizerKind*> optimizer_kinds();

}  // namespace dsim
