#pragma once
#include <vector>

#include "model/workload/model.h"

namespace dsim {

/// The kernels of a backward list that make the gradient of the input: all but weight gradients.
/// Communications stay; what they hide behind shrinks with the kernels that go.
std::vector<Kernel> input_gradient_kernels(const Layer& layer);
/// The others: weight gradients.
std::vector<Kernel> weight_gradient_kernels(const Layer& layer);

}  // namespace dsim
