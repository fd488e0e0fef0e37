#pragma once
#include <cstddef>
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
  int kernels_per_step;                ///< launches when fused or foreach, a network of 100 M
  int operations = 1;                  ///< kernels that go over all parameters one after the other
  int lists = 4;  ///< tensors of one parameter that a kernel takes; 0 = a launch a parameter tensor
};

/// Finds an optimizer by name; InputError lists the known ones.
const OptimizerKind& optimizer_kind(std::string_view name);
std::vector<const OptimizerKind*> optimizer_kinds();

/// Kernel launches of a step over so many parameter tensors: multi-tensor kernels take as many
/// tensors and blocks as their argument table holds, a loop takes them one by one.
std::size_t optimizer_launches(const OptimizerKind& kind, std::size_t tensors, double parameters);

/// Parameters a second that the CPUs of a node update with Adam, their states in host memory
/// (DeepSpeed's CPU-Adam, vectorised and threaded).
Constant cpu_adam_rate();

}  // namespace dsim
