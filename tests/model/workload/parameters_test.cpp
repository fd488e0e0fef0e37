// Parameter tensors: counts as published, names, shapes and registration order as PyTorch lists
// them.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>

#include "tests/model/workload/model_queries.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

std::vector<std::string> first_names(const Model& model, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(model.parameters.at(i).name);
  return names;
}

std::vector<std::string> last_names(const Model& model, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = model.parameters.size() - count; i < model.parameters.size(); ++i)
    names.push_back(model.parameters.at(i).name);
  return names;
}

}  // namespace

TEST_CASE("parameter counts are the published ones") {
  // torchvision model metadata (num_params); Hugging Face num_parameters() of BertForPreTraining
  // and GPT2LMHeadModel, tied tensors counted once.
  const auto [name, count] = GENERATE(table<std::string, std::int64_t>({
      {"resnet-18", 11'689'512},
      {"resnet-34", 21'797'672},
      {"resnet-50", 25'557'032},
      {"resnet-101", 44'549'160},
      {"resnet-152", 60'192'808},
      {"resnext50-32x4d", 25'028'904},
      {"resnext101-32x8d", 88'791'336},
      {"bert-base", 110'106'428},
      {"bert-large", 336'226'108},
      {"gpt2", 124'439'808},
      {"gpt2-medium", 354'823'168},
      {"gpt2-large", 774'030'080},
      {"gpt2-xl", 1'557'611'200},
  }));
  INFO(name);
  CHECK(build(name).parameter_count() == count);
}

TEST_CASE("BERT without its pretraining heads counts as BertModel") {
  const auto [name, count] = GENERATE(
      table<std::string, std::int64_t>({{"bert-base", 109'482'240}, {"bert-large", 335'141'888}}));
  std::int64_t sum = 0;
  for (const Parameter& parameter : build(name).parameters)
    if (parameter.name.rfind("bert.", 0) == 0) sum += parameter.elements;
  CHECK(sum == count);
}

TEST_CASE("every model's parameter names are unique and elements are the product of the shape") {
  for (const ModelKind* kind : model_kinds()) {
    const Model model = kind->build(*kind, {});
    std::set<std::string> names;
    for (const Parameter& parameter : model.parameters) {
      INFO(parameter.name);
      CHECK(names.insert(parameter.name).second);
      std::int64_t elements = 1;
      for (const std::int64_t extent : parameter.shape) elements *= extent;
      CHECK(parameter.elements == elements);
    }
  }
}

TEST_CASE("BERT registers tensors as BertForPreTraining does") {
  const Model model = build("bert");
  CHECK(model.title == "BERT-large");
  CHECK(model.parameters.size() == 5 + 24 * 16 + 2 + 1 + 4 + 2);
  const std::string layer = "bert.encoder.layer.0.";
  CHECK(first_names(model, 21) ==
        std::vector<std::string>{"bert.embeddings.word_embeddings.weight",
                                 "bert.embeddings.position_embeddings.weight",
                                 "bert.embeddings.token_type_embeddings.weight",
                                 "bert.embeddings.LayerNorm.weight",
                                 "bert.embeddings.LayerNorm.bias",
                                 layer + "attention.self.query.weight",
                                 layer + "attention.self.query.bias",
                                 layer + "attention.self.key.weight",
                                 layer + "attention.self.key.bias",
                                 layer + "attention.self.value.weight",
                                 layer + "attention.self.value.bias",
                                 layer + "attention.output.dense.weight",
                                 layer + "attention.output.dense.bias",
                                 layer + "attention.output.LayerNorm.weight",
                                 layer + "attention.output.LayerNorm.bias",
                                 layer + "intermediate.dense.weight",
                                 layer + "intermediate.dense.bias",
                                 layer + "output.dense.weight",
                                 layer + "output.dense.bias",
                                 layer + "output.LayerNorm.weight",
                                 layer + "output.LayerNorm.bias"});
  CHECK(last_names(model, 9) ==
        std::vector<std::string>{"bert.pooler.dense.weight", "bert.pooler.dense.bias",
                                 "cls.predictions.bias", "cls.predictions.transform.dense.weight",
                                 "cls.predictions.transform.dense.bias",
                                 "cls.predictions.transform.LayerNorm.weight",
                                 "cls.predictions.transform.LayerNorm.bias",
                                 "cls.seq_relationship.weight", "cls.seq_relationship.bias"});
  CHECK(model.parameters[0].shape == std::vector<std::int64_t>{30522, 1024});
  CHECK(model.parameters[15].shape == std::vector<std::int64_t>{4096, 1024});
  CHECK(model.buffers.empty());
}

TEST_CASE("GPT-2 stores its dense weights as Conv1D does and ties its head") {
  const Model model = build("gpt2");
  CHECK(model.parameters.size() == 2 + 12 * 12 + 2);
  CHECK(first_names(model, 6) ==
        std::vector<std::string>{"transformer.wte.weight", "transformer.wpe.weight",
                                 "transformer.h.0.ln_1.weight", "transformer.h.0.ln_1.bias",
                                 "transformer.h.0.attn.c_attn.weight",
                                 "transformer.h.0.attn.c_attn.bias"});
  CHECK(last_names(model, 1) == std::vector<std::string>{"transformer.ln_f.bias"});
  CHECK(model.parameters[4].shape == std::vector<std::int64_t>{768, 3 * 768});
}

TEST_CASE("ResNet-50 registers tensors and buffers as torchvision does") {
  const Model model = build("resnet-50");
  CHECK(model.parameters.size() == 161);
  CHECK(first_names(model, 15) ==
        std::vector<std::string>{
            "conv1.weight", "bn1.weight", "bn1.bias", "layer1.0.conv1.weight",
            "layer1.0.bn1.weight", "layer1.0.bn1.bias", "layer1.0.conv2.weight",
            "layer1.0.bn2.weight", "layer1.0.bn2.bias", "layer1.0.conv3.weight",
            "layer1.0.bn3.weight", "layer1.0.bn3.bias", "layer1.0.downsample.0.weight",
            "layer1.0.downsample.1.weight", "layer1.0.downsample.1.bias"});
  CHECK(last_names(model, 2) == std::vector<std::string>{"fc.weight", "fc.bias"});
  // 53 norms: running mean and variance of 26,560 channels in all, and a counter each.
  CHECK(model.buffers.size() == 106);
  CHECK(model.integer_buffers == std::vector<std::int64_t>(53, 1));
  std::int64_t elements = 0;
  for (const std::int64_t buffer : model.buffers) elements += buffer;
  CHECK(elements == 53'120);
}

TEST_CASE("ResNeXt splits the 3x3 convolutions into groups") {
  const Model model = build("resnext101-32x8d");
  const Parameter& weight = model.parameters[parameter_index(model, "layer1.0.conv2.weight")];
  CHECK(weight.shape == std::vector<std::int64_t>{256, 8, 3, 3});
}
