#pragma once
// Sums over a model's kernels that several tests of the workloads use.
#include <functional>
#include <string>
#include <vector>

#include "model/workload/model.h"

namespace dsim::testing {

/// Builds a model by name.
Model build(const std::string& name, const ModelRequest& request = {});

/// Index of the parameter of that name; fails the test if there is none or more than one.
std::size_t parameter_index(const Model& model, const std::string& name);

/// Kernels of a direction in layers whose name starts with `prefix`, in execution order.
std::vector<Kernel> forward_kernels(const Model& model, const std::string& prefix = "");
std::vector<Kernel> backward_kernels(const Model& model, const std::string& prefix = "");

/// Sums over kernels.
double flops(const std::vector<Kernel>& kernels);
double memory_bytes(const std::vector<Kernel>& kernels);  ///< of memory kernels but casts
int launches(const std::vector<Kernel>& kernels);
double saved_bytes(const Model& model, const std::string& prefix = "");

/// Parameters in the order in which backward completes them.
std::vector<std::size_t> arrival_order(const Model& model);

}  // namespace dsim::testing
