#include "calibrate/validate/network_rules.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>

#include "calibrate/validate/text_pattern.h"
#include "model/workload/transformer/build.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

struct NameRule {
  std::string_view text;  ///< pattern of the column
  std::string_view name;  ///< ours
};

constexpr std::array network_rules{
    NameRule{"bert large", "bert-large"},
    NameRule{"=bert-large|=bert-large-uncased|=bert", "bert-large"},
    NameRule{"=bert-base|=bert-base-uncased|=bert-hf-base", "bert-base"},
    NameRule{"=resnet-18|=resnet18", "resnet18"},
    NameRule{"=resnet-34|=resnet34", "resnet34"},
    // v1.5 puts the stride into the 3x3 convolution, as torchvision does.
    NameRule{"=resnet-50|=resnet50|=resnet-50-v1-5|=resnet50-v1-5", "resnet50"},
    NameRule{"=resnet-101|=resnet101", "resnet101"},
    NameRule{"=resnet-152|=resnet152", "resnet152"},
    NameRule{"=resnext-50-32x4d|=resnext50-32x4d", "resnext50-32x4d"},
    NameRule{"=resnext-101-32x4d|=resnext101-32x4d", "resnext101-32x4d"},
    NameRule{"=resnext-101-32x8d|=resnext101-32x8d", "resnext101-32x8d"},
    NameRule{"=vgg16|=vgg-16", "vgg16"},
    NameRule{"=vgg19|=vgg-19", "vgg19"},
    NameRule{"=alexnet", "alexnet"},
    NameRule{"=inceptionv3|=inception-v3", "inception-v3"},
    NameRule{"=vit-b-16", "vit-b16"},
    NameRule{"transformer-big", "transformer-big"},
    NameRule{"gnmt", "gnmt"},
    NameRule{"=t5-small", "t5-small"},
    NameRule{"=gpt-2|=gpt2|gpt-2-124m|gpt2-124m", "gpt2"},
    NameRule{"=gpt-2-medium|=gpt2-medium|=gpt-2-345m|gpt-2-345m", "gpt2-medium"},
    NameRule{"=gpt-2-large|=gpt2-large|=gpt-2-774m", "gpt2-large"},
    NameRule{"=gpt-2-xl|=gpt2-xl|=gpt-2-1-5b", "gpt2-xl"},
    NameRule{"llama-3-1-405b|llama3-1-405b|llama3-405b|llama-3-405b", "llama3-405b"},
    NameRule{"llama-3-70b|llama3-70b|llama-3-1-70b|llama3-1-70b", "llama3-70b"},
    NameRule{"llama-3-8b|llama3-8b|llama-3-1-8b|llama3-1-8b", "llama3-8b"},
    NameRule{"llama-2-70b|llama2-70b", "llama2-70b"},
    NameRule{"llama-2-13b|llama2-13b", "llama2-13b"},
    NameRule{"llama-2-7b|llama2-7b", "llama2-7b"},
    NameRule{"llama-7b", "llama-7b"},
    NameRule{"llama-13b", "llama-13b"},
    NameRule{"kimi-k2", "kimi-k2"},
    NameRule{"mpt-125m", "mpt-125m"},
    NameRule{"mpt-350m", "mpt-350m"},
    NameRule{"mpt-760m", "mpt-760m"},
    NameRule{"mpt-1b", "mpt-1b"},
    NameRule{"mpt-3b", "mpt-3b"},
    NameRule{"mpt-7b", "mpt-7b"},
    NameRule{"mpt-13b", "mpt-13b"},
    NameRule{"mpt-30b", "mpt-30b"},
    NameRule{"mpt-70b", "mpt-70b"},
    NameRule{"deepseek-v2", "deepseek-v2"},
    NameRule{"deepseek-v3|deepseekv3", "deepseek-v3"},
    NameRule{"mixtral-8x7b", "mixtral-8x7b"},
    NameRule{"mixtral-8x22b", "mixtral-8x22b"},
    NameRule{"qwen3-30b-a3b|qwen3-moe-30b", "qwen3-30b-a3b"},
    NameRule{"qwen3-235b-a22b", "qwen3-235b-a22b"},
    NameRule{"qwen2-5-7b", "qwen2-7b"},
    NameRule{"qwen2-5-32b", "qwen2.5-32b"},
    NameRule{"gpt-oss-120b", "gpt-oss-120b"},
    NameRule{"gpt-oss-20b", "gpt-oss-20b"},
    NameRule{"nemotron4-15b|nemotron-15b", "nemotron4-15b"},
    NameRule{"nemotron4-340b|nemotron-340b", "nemotron4-340b"},
    NameRule{"gpt3-175b|gpt-3-175b|gpt-175b", "gpt3-175b"},
    NameRule{"grok1|grok-1", "grok1"},
};

constexpr std::array families{
    NameRule{"llama|llama-like|aquila2|moe", "llama"},
    NameRule{"mpt", "mpt"},
    NameRule{"nemotron-8b|nemotron-22b", "nemotron"},
    NameRule{"gpt|gpt-2|gpt-3|gpt3|bloom|cpm", "gpt"},
};

/// As a name of the model table spells it: lower case.
const ModelKind* known(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  try {
    return &model_kind(lower);
  } catch (const InputError&) {
    return nullptr;
  }
}

const ModelKind* named(std::string_view text) {
  for (const NameRule& rule : network_rules)
    if (matches(text, rule.text))
      if (const ModelKind* kind = known(rule.name)) return kind;
  return known(text);
}

/// The shape of a decoder of a family, without sizes.
TransformerConfig family_config(std::string_view family) {
  TransformerConfig config;
  if (family == "llama") return config;
  config.norm = NormKind::layer_norm;
  config.norm_bias = true;
  config.gated = false;
  config.position = PositionScheme::learned;
  config.activation = Activation::gelu;
  config.tied = true;
  config.fused_projections = true;
  if (family == "mpt") {
    config.norm_bias = false;
    config.table_follows_sequence = true;
    return config;
  }
  if (family == "nemotron") {
    config.position = PositionScheme::rope;
    config.activation = Activation::squared_relu;
    config.tied = false;
    config.norm_bias = true;
    return config;
  }
  config.qkv_bias = config.output_bias = config.mlp_bias = true;
  config.embedding_dropout = config.attention_dropout = config.hidden_dropout = true;
  return config;
}

/// Layers that the parameter count implies: the nearest multiple of the pipeline degree.
std::int64_t layers_of(RowPlan& plan, std::int64_t hidden) {
  const auto parameters = plan.row->number("params");
  if (!parameters || hidden == 0) return 0;
  const auto parts = static_cast<double>(plan.row->count("pp", 1));
  const double layers = *parameters / (12.0 * static_cast<double>(hidden * hidden));
  const auto rounded = static_cast<std::int64_t>(std::max(1.0, std::round(layers / parts)) * parts);
  plan.assume(fmt::format("{} layers from the parameter count", rounded));
  return rounded;
}

/// What the columns say over the table. Expert networks keep the sizes of the table: their `ffn`
/// column means the dense layers in one source and the experts in another.
void read_dimensions(RowPlan& plan, TransformerConfig& config) {
  const auto set = [&](std::string_view column, std::int64_t& value) {
    if (const std::int64_t stated = plan.count(column); stated > 0) value = stated;
  };
  const std::int64_t heads = config.heads, hidden = config.hidden;
  const bool grouped = config.kv_heads != config.heads;
  set("layers", config.layers);
  set("vocab", config.vocabulary);
  if (config.experts.count > 0) return;
  set("hidden", config.hidden);
  set("heads", config.heads);
  if (!grouped) config.kv_heads = config.heads;
  set("kv_heads", config.kv_heads);
  set("ffn", config.ffn);
  if (config.hidden != hidden || config.heads != heads) config.head_size = 0;
}

TransformerConfig by_dimensions(RowPlan& plan, std::string_view text) {
  for (const NameRule& rule : families) {
    if (!matches(text, rule.text)) continue;
    TransformerConfig config = family_config(rule.name);
    read_dimensions(plan, config);
    if (config.layers == 0) config.layers = layers_of(plan, config.hidden);
    if (config.ffn == 0 && rule.name != "llama") config.ffn = 4 * config.hidden;
    for (const auto& [value, name] : {std::pair{config.layers, "layers"},
                                      {config.hidden, "hidden"},
                                      {config.ffn, "ffn"}})
      if (value == 0)
        throw Unpredictable{Obstacle::model, fmt::format("{}: {} not stated", text, name)};
    if (const std::int64_t experts = plan.count("experts"); experts > 0) {
      config.experts.count = experts;
      config.experts.top_k = plan.row->count("top_k", 1);
      config.experts.ffn = config.ffn;
    } else if (matches(text, "moe")) {
      throw Unpredictable{Obstacle::model, fmt::format("{}: experts not stated", text)};
    }
    if (config.vocabulary == 0) {
      config.vocabulary = 50257;
      plan.assume("vocabulary not stated: 50257");
    }
    return config;
  }
  throw Unpredictable{Obstacle::model, std::string(text)};
}

/// A kind that owns its words and sizes.
struct OwnedKind {
  std::string name;
  TransformerConfig config;
  ModelKind kind;
};

}  // namespace

void read_network(RowPlan& plan) {
  const std::string_view text = plan.row->text("model");
  if (text.empty()) throw Unpredictable{Obstacle::model, "not stated"};
  if (matches(text, "lora") || matches(plan.row->text("strategy"), "lora"))
    throw Unpredictable{Obstacle::model, "LoRA: base weights are frozen"};
  // Doubts of a name do not matter where the sizes are stated.
  if (text.ends_with('?') && (!plan.states("hidden") || !plan.states("ffn")))
    throw Unpredictable{Obstacle::model, fmt::format("{} (not certain)", text)};
  if (const ModelKind* kind = named(text)) {
    plan.network = kind->name;
    if (kind->transformer == nullptr) return;
    plan.config = *kind->transformer;
    read_dimensions(plan, *plan.config);
    return;
  }
  plan.config = by_dimensions(plan, text);
}

void finish_network(RowPlan& plan) {
  if (!plan.config) {
    plan.job.model = plan.network;
    return;
  }
  TransformerConfig& config = *plan.config;
  if (config.heads == 0) throw Unpredictable{Obstacle::model, "heads not stated"};
  if (config.kv_heads == 0) config.kv_heads = config.heads;
  if (config.positions < plan.job.sequence) config.positions = plan.job.sequence;
  const auto owned = std::make_shared<OwnedKind>();
  owned->name = plan.row->text("model");
  owned->config = config;
  const ModelKind* base = plan.network.empty() ? nullptr : &model_kind(plan.network);
  owned->config.title = base != nullptr ? base->transformer->title : std::string_view(owned->name);
  owned->kind = {.name = base != nullptr ? base->name : std::string_view(owned->name),
                 .help = "a row of a training table",
                 .default_micro_batch = 1,
                 .default_sequence = config.positions > 0 ? config.positions : 2048,
                 .default_optimizer = "adam",
                 .build = build_transformer,
                 .transformer = &owned->config};
  try {
    check(owned->config, owned->name);
  } catch (const InputError& error) {
    throw Unpredictable{Obstacle::model, error.what()};
  }
  plan.job.model = owned->kind.name;
  plan.job.kind = std::shared_ptr<const ModelKind>(owned, &owned->kind);
}

}  // namespace dsim
