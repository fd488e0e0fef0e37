// The table of models. A family adds its kinds with one line.
#include <span>
#include <string_view>
#include <vector>

#include "model/workload/bert.h"
#include "model/workload/gpt2.h"
#include "model/workload/model.h"
#include "model/workload/resnet.h"
#include "sim/base/registry.h"

namespace dsim {
namespace {

constexpr std::span<const ModelKind> (*families[])() = {
    bert_kinds,
    resnet_kinds,
    gpt2_kinds,
};

struct Alias {
  std::string_view alias, name;
};
constexpr Alias aliases[] = {
    {"bert", "bert-large"},
    {"gpt2-small", "gpt2"},
    {"resnet18", "resnet-18"},
    {"resnet34", "resnet-34"},
    {"resnet50", "resnet-50"},
    {"resnet101", "resnet-101"},
    {"resnet152", "resnet-152"},
    {"resnext-50", "resnext50-32x4d"},
    {"resnext50", "resnext50-32x4d"},
    {"resnext-101", "resnext101-32x8d"},
    {"resnext101", "resnext101-32x8d"},
};

}  // namespace

std::int64_t Model::parameter_count() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : parameters) count += parameter.elements;
  return count;
}

std::vector<const ModelKind*> model_kinds() {
  std::vector<const ModelKind*> kinds;
  for (const auto& family : families)
    for (const ModelKind& kind : family()) kinds.push_back(&kind);
  return kinds;
}

const ModelKind& model_kind(std::string_view name) {
  for (const Alias& alias : aliases)
    if (alias.alias == name) name = alias.name;
  return Registry<ModelKind>("model", model_kinds()).at(name);
}

}  // namespace dsim
