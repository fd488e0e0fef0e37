// The table of models. A family adds its kinds with one line.
#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <vector>

#include "model/workload/bert.h"
#include "model/workload/densenet.h"
#include "model/workload/dlrm.h"
#include "model/workload/encoder_decoder.h"
#include "model/workload/gnmt.h"
#include "model/workload/gpt2.h"
#include "model/workload/inception.h"
#include "model/workload/model.h"
#include "model/workload/model_aliases.h"
#include "model/workload/resnet.h"
#include "model/workload/transformer/kinds.h"
#include "model/workload/vgg.h"
#include "model/workload/vit.h"
#include "sim/base/registry.h"

namespace dsim {
namespace {

constexpr std::span<const ModelKind> (*families[])() = {
    bert_kinds,  resnet_kinds,          gpt2_kinds,     gpt3_kinds,      mpt_kinds,
    llama_kinds, mistral_kinds,         deepseek_kinds, qwen_kinds,      nemotron_kinds,
    gemma_kinds, open_gpt_kinds,        vgg_kinds,      inception_kinds, densenet_kinds,
    vit_kinds,   encoder_decoder_kinds, gnmt_kinds,     dlrm_kinds,
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
    {"vgg11", "vgg-11"},
    {"vgg13", "vgg-13"},
    {"vgg16", "vgg-16"},
    {"vgg19", "vgg-19"},
    {"inception3", "inception-v3"},
    {"inceptionv3", "inception-v3"},
    {"inception_v3", "inception-v3"},
    {"densenet", "densenet-121"},
    {"densenet121", "densenet-121"},
    {"densenet161", "densenet-161"},
    {"densenet169", "densenet-169"},
    {"densenet201", "densenet-201"},
    {"wide_resnet50_2", "wide-resnet-50-2"},
    {"wide_resnet101_2", "wide-resnet-101-2"},
    {"vit", "vit-b/16"},
    {"vit-b-16", "vit-b/16"},
    {"vit_b_16", "vit-b/16"},
    {"vit-l-16", "vit-l/16"},
    {"vit_l_16", "vit-l/16"},
    {"vit-h-14", "vit-h/14"},
    {"t5", "t5-base"},
    {"transformer", "transformer-big"},
    {"gpt3", "gpt3-175b"},
    {"llama3.1-8b", "llama3-8b"},
    {"llama3.1-70b", "llama3-70b"},
    {"llama3.3-70b", "llama3-70b"},
    {"llama3.1-405b", "llama3-405b"},
    {"mixtral", "mixtral-8x7b"},
    {"deepseek-r1", "deepseek-v3"},
    {"qwen2.5-0.5b", "qwen2-0.5b"},
    {"qwen2.5-1.5b", "qwen2-1.5b"},
    {"qwen2.5-7b", "qwen2-7b"},
    {"qwen2.5-72b", "qwen2-72b"},
    {"grok-1", "grok1"},
    {"bloom", "bloom-176b"},
};

}  // namespace

std::int64_t Model::parameter_count() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : parameters)
    count += parameter.whole_elements > 0 ? parameter.whole_elements : parameter.elements;
  return count;
}

std::int64_t Model::local_parameter_count() const {
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
  const auto same = [&](std::string_view other) {
    return std::equal(name.begin(), name.end(), other.begin(), other.end(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;  // the table is in lower case
    });
  };
  for (const Alias& alias : aliases)
    if (same(alias.alias)) name = alias.name;
  const std::vector<const ModelKind*> kinds = model_kinds();
  for (const ModelKind* kind : kinds)
    if (same(kind->name)) return *kind;
  return Registry<ModelKind>("model", kinds).at(name);
}

std::vector<std::string_view> aliases_of(const ModelKind& kind) {
  std::vector<std::string_view> result;
  for (const Alias& alias : aliases)
    if (alias.name == kind.name) result.push_back(alias.alias);
  return result;
}

}  // namespace dsim
