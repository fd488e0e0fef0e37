#include "model/workload/transformer/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/workload/transformer/build.h"
#include "model/workload/transformer/hf_families.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

/// A kind that owns what its row points to.
struct ReadModel {
  std::string name, help;
  TransformerConfig config;
  ModelKind kind{};
};

void refuse(const HfObject& object) {
  const auto type = object.find({"model_type"});
  if (!type) return;
  for (const HfRefusal& refusal : hf_refusals())
    if (type->as_string() == refusal.model_type)
      type->fail(fmt::format("models of type '{}' cannot be built: they have {}",
                             refusal.model_type, refusal.reason));
}

/// "architectures" names the class that would load the file, so it goes before "model_type".
const HfFamily* by_architecture(const HfObject& object) {
  const auto list = object.find({"architectures"});
  if (!list) return nullptr;
  for (const json::Value& name : list->elements())
    for (const HfFamily& family : hf_families())
      if (name.as_string() == family.architecture) return &family;
  return nullptr;
}

const HfFamily& family_named(std::string_view model_type) {
  return *std::find_if(hf_families().begin(), hf_families().end(),
                       [&](const HfFamily& family) { return family.model_type == model_type; });
}

const HfFamily& family_of(const HfObject& object) {
  refuse(object);
  if (const HfFamily* family = by_architecture(object)) return *family;
  std::vector<std::string_view> known;
  for (const HfFamily& family : hf_families()) known.push_back(family.model_type);
  if (const auto type = object.find({"model_type"})) {
    for (const HfFamily& family : hf_families())
      if (family.model_type == type->as_string()) return family;
    type->fail(unknown_name("model_type", type->as_string(), known));
  }
  if (const auto list = object.find({"architectures"})) {
    std::vector<std::string_view> architectures;
    for (const HfFamily& family : hf_families()) architectures.push_back(family.architecture);
    const auto names = list->elements();
    list->fail(unknown_name("architecture", names.empty() ? "" : names.front().as_string(),
                            architectures));
  }
  // The first files of BERT name no type.
  if (object.has("type_vocab_size") && object.has("attention_probs_dropout_prob"))
    return family_named("bert");
  object.value().fail(
      "missing key 'model_type' (\"llama\", ...); this is neither a Hugging Face "
      "config.json nor a dsim layer file (\"format\": \"dsim.layers/1\")");
}

/// The object that describes the language model.
HfObject language_model(const json::Value& root) {
  const HfObject object(root);
  refuse(object);
  const auto text = object.find({"text_config"});
  if (!text) return object;
  for (const std::string_view other : {"vision_config", "audio_config"})
    if (const auto part = object.find({other}))
      part->fail(
          fmt::format("models with images or sound cannot be built; for the language model "
                      "alone save 'text_config' as a file, without '{}'",
                      other));
  HfObject inner(*text);
  refuse(inner);
  return inner;
}

}  // namespace

std::shared_ptr<const ModelKind> hf_model(const json::Value& root, std::string name) {
  const HfObject object = language_model(root);
  const HfFamily* outer = by_architecture(HfObject(root));
  const HfFamily& family = outer != nullptr ? *outer : family_of(object);
  auto model = std::make_shared<ReadModel>();
  model->name = std::move(name);
  model->help = fmt::format("{} from a config.json", family.model_type);
  model->config = family.read(object);
  model->config.title = model->name;
  constexpr std::int64_t usual_sequence = 4096;
  std::int64_t sequence = std::min(model->config.positions, usual_sequence);
  if (sequence > 128) sequence -= sequence % 128;  // tables with a row or two more
  model->kind = {model->name,       model->help,   1, std::max<std::int64_t>(sequence, 1), "adamw",
                 build_transformer, &model->config};
  return {model, &model->kind};
}

}  // namespace dsim
