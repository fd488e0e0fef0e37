#include "tests/model/workload/model_queries.h"

#include <catch2/catch.hpp>

namespace dsim::testing {
namespace {

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

Model build(const std::string& name, const ModelRequest& request) {
  const ModelKind& kind = model_kind(name);
  return kind.build(kind, request);
}

std::size_t parameter_index(const Model& model, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    if (model.parameters[i].name == name) found.push_back(i);
  INFO(name);
  REQUIRE(found.size() == 1);
  return found.front();
}

std::vector<Kernel> forward_kernels(const Model& model, const std::string& prefix) {
  std::vector<Kernel> kernels;
  for (const Layer& layer : model.layers)
    if (starts_with(layer.name, prefix))
      kernels.insert(kernels.end(), layer.forward.begin(), layer.forward.end());
  return kernels;
}

std::vector<Kernel> backward_kernels(const Model& model, const std::string& prefix) {
  std::vector<Kernel> kernels;
  for (auto layer = model.layers.rbegin(); layer != model.layers.rend(); ++layer)
    if (starts_with(layer->name, prefix))
      kernels.insert(kernels.end(), layer->backward.begin(), layer->backward.end());
  return kernels;
}

double flops(const std::vector<Kernel>& kernels) {
  double sum = 0;
  for (const Kernel& kernel : kernels) sum += kernel.flops;
  return sum;
}

double memory_bytes(const std::vector<Kernel>& kernels) {
  double sum = 0;
  for (const Kernel& kernel : kernels)
    if (kernel.kind == KernelKind::memory && kernel.name.find("cast") == std::string::npos)
      sum += kernel.bytes;
  return sum;
}

int launches(const std::vector<Kernel>& kernels) {
  int sum = 0;
  for (const Kernel& kernel : kernels) sum += kernel.launches;
  return sum;
}

double saved_bytes(const Model& model, const std::string& prefix) {
  double sum = 0;
  for (const Layer& layer : model.layers)
    if (starts_with(layer.name, prefix)) sum += layer.saved_bytes;
  return sum;
}

std::vector<std::size_t> arrival_order(const Model& model) {
  std::vector<std::size_t> order;
  for (const Kernel& kernel : backward_kernels(model))
    for (const ParameterId id : kernel.completes) order.push_back(id.index());
  return order;
}

}  // namespace dsim::testing
