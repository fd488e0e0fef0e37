#include "calibrate/validate/model_rules.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>

#include "calibrate/validate/text_pattern.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

struct NameRule {
  std::string_view text;  ///< pattern of the column
  std::string_view name;  ///< ours; "" = known and not covered
};

constexpr std::array model_rules{
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
    NameRule{"=gpt-2|=gpt2", "gpt2"},
    NameRule{"gpt-2|gpt2 124m|small", "gpt2"},
    NameRule{"=gpt-2-medium|=gpt2-medium|=gpt-2-345m", "gpt2-medium"},
    NameRule{"=gpt-2-large|=gpt2-large|=gpt-2-774m", "gpt2-large"},
    NameRule{"=gpt-2-xl|=gpt2-xl|=gpt-2-1-5b", "gpt2-xl"},
};

struct PrecisionRule {
  std::string_view text;
  Precision precision;
};

constexpr std::array precision_rules{
    PrecisionRule{"=fp32", Precision::fp32},
    // Torch images of NVIDIA allow TF32 wherever fp32 is asked for (FlagPerf's rows say FP32/TF32).
    PrecisionRule{"=tf32|=fp32-tf32", Precision::tf32},
    PrecisionRule{"=fp16|=fp16-amp|=amp|=fp16-o1|=fp16-o2|=mixed-fp16|=mixed", Precision::fp16},
    PrecisionRule{"=bf16|=bf16-amp|=bfloat16", Precision::bf16},
};

constexpr std::array optimizer_rules{
    NameRule{"=sgd|=sgd-momentum|=momentum", "sgd"},
    NameRule{"=adam|=fusedadam", "adam"},
    NameRule{"=adamw", "adamw"},
    NameRule{"=lamb|=fusedlamb", "lamb"},
};

/// The table's name for a model text, from the rules or as it calls or also calls one of its own;
/// "" if it has none.
std::string_view known_model(std::string_view text) {
  std::string_view name = text;
  for (const NameRule& rule : model_rules)
    if (matches(text, rule.text)) {
      name = rule.name;
      break;
    }
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  try {
    return model_kind(lower).name;
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

std::string_view model_of(const RowInputs& row) {
  const std::string_view text = row.text("model");
  if (text.empty()) throw Unpredictable{Obstacle::model, "not stated"};
  if (text.ends_with('?'))
    throw Unpredictable{Obstacle::model, fmt::format("{} (not certain)", text)};
  const std::string_view name = known_model(text);
  if (name.empty()) throw Unpredictable{Obstacle::model, std::string(text)};
  return name;
}

std::optional<Precision> precision_of(const RowInputs& row) {
  const std::string_view text = row.text("precision");
  if (text.empty()) return std::nullopt;
  for (const PrecisionRule& rule : precision_rules)
    if (matches(text, rule.text)) return rule.precision;
  throw Unpredictable{Obstacle::precision, std::string(text)};
}

std::string_view optimizer_of(const RowInputs& row) {
  const std::string_view text = row.text("optimizer");
  if (text.empty()) return {};
  for (const NameRule& rule : optimizer_rules)
    if (matches(text, rule.text)) return rule.name;
  throw Unpredictable{Obstacle::model, fmt::format("optimizer {}", text)};
}

Fusion fusion_of(const RowInputs& row) {
  const std::string_view text = row.text("framework");
  if (!text.empty() &&
      !matches(text, "pytorch|torch !horovod !deepspeed !megatron !mxnet !tensorflow"))
    throw Unpredictable{Obstacle::framework, std::string(text)};
  return matches(text, "torch-compile") ? Fusion::compile : Fusion::eager;
}

bool flash_attention_of(const RowInputs& row) {
  return !matches(row.text("framework"), "pytorch-1");
}

void require_data_parallel(const RowInputs& row) {
  const std::string_view strategy = row.text("strategy");
  if (!matches(strategy,
               "=|=ddp|=none|=single|=single-gpu|=data-parallel|=pytorch-ddp|=native-ddp"))
    throw Unpredictable{Obstacle::strategy, std::string(strategy)};
  for (const std::string_view column : {"tp", "pp", "cp", "ep"})
    if (row.count(column, 1) > 1)
      throw Unpredictable{Obstacle::strategy, fmt::format("{} {}", column, row.text(column))};
  const std::string_view recompute = row.text("activation_recompute");
  if (!matches(recompute, "=|=none|=no|=off"))
    throw Unpredictable{Obstacle::recompute, std::string(recompute)};
}

std::int64_t bucket_cap_of(const RowInputs& row) {
  if (!row.text("bucket_cap_mb").empty()) return row.count("bucket_cap_mb", 0);
  constexpr std::string_view key = "bucket_cap_mb=";
  const std::string_view notes = row.text("notes");
  const std::size_t at = notes.find(key);
  if (at == std::string_view::npos) return 0;
  std::int64_t value = 0;
  const std::string_view rest = notes.substr(at + key.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return value > 0 && value < (std::int64_t{1} << 30) ? value : 0;
}

}  // namespace dsim
