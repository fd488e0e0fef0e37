#include "model/workload/transformer/hf_object.h"

#include <fmt/format.h>

#include <string>

#include "sim/base/spelling.h"

namespace dsim {
namespace {

struct ActivationName {
  std::string_view name;
  Activation activation;
};
constexpr ActivationName activation_names[] = {
    {"silu", Activation::silu},          {"swish", Activation::silu},
    {"swiglu", Activation::silu},        {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu},      {"gelu_fast", Activation::gelu},
    {"gelu_python", Activation::gelu},   {"gelu_pytorch_tanh", Activation::gelu},
    {"quick_gelu", Activation::gelu},    {"relu", Activation::relu},
    {"relu2", Activation::squared_relu},
};

}  // namespace

HfObject::HfObject(json::Value object) : object_(object), members_(object.members()) {}

std::optional<json::Value> HfObject::find(HfKeys keys) const {
  for (const std::string_view key : keys)
    for (const auto& [name, value] : members_)
      if (name == key && value.kind() != json::Kind::null) return value;
  return std::nullopt;
}

std::int64_t HfObject::integer(HfKeys keys, std::int64_t low, std::int64_t high) const {
  if (const auto value = find(keys)) return value->as_integer(low, high);
  std::vector<std::string_view> names;
  for (const auto& member : members_) names.push_back(member.first);
  const std::string_view usual = *keys.begin();
  const std::string_view near = nearest(usual, names);
  const bool misspelt = !near.empty() && near != usual && near.size() + 2 >= usual.size() &&
                        near.size() <= usual.size() + 2;
  object_.fail(fmt::format("missing key '{}', an integer from {} to {}{}", usual, low, high,
                           misspelt ? fmt::format(" (is '{}' meant?)", near) : ""));
}

std::int64_t HfObject::integer_or(HfKeys keys, std::int64_t other, std::int64_t low,
                                  std::int64_t high) const {
  const auto value = find(keys);
  return value ? value->as_integer(low, high) : other;
}

bool HfObject::flag(HfKeys keys, bool other) const {
  const auto value = find(keys);
  return value ? value->as_bool() : other;
}

bool HfObject::dropout(HfKeys keys, double other) const {
  const auto value = find(keys);
  const double probability = value ? value->as_number() : other;
  if (probability < 0 || probability >= 1)
    value->fail(fmt::format("expected a probability from 0 to 1, found {}", probability));
  return probability > 0;
}

std::string_view HfObject::text(std::string_view key, std::string_view other) const {
  const auto value = find({key});
  return value ? value->as_string() : other;
}

Activation HfObject::activation(HfKeys keys, Activation other) const {
  const auto value = find(keys);
  if (!value) return other;
  std::vector<std::string_view> names;
  for (const ActivationName& row : activation_names) {
    if (row.name == value->as_string()) return row.activation;
    names.push_back(row.name);
  }
  value->fail(unknown_name("activation", value->as_string(), names));
}

}  // namespace dsim
