#pragma once
// Reading the object of a Hugging Face config.json: many keys, several names for one thing, null
// for "not given". Keys that nobody asks for are ignored.
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/workload/transformer/config.h"
#include "sim/base/json.h"

namespace dsim {

/// Names of one thing, the usual one first.
using HfKeys = std::initializer_list<std::string_view>;

class HfObject {
 public:
  explicit HfObject(json::Value object);

  const json::Value& value() const { return object_; }
  /// The first of `keys` that is there and not null.
  std::optional<json::Value> find(HfKeys keys) const;
  bool has(std::string_view key) const { return find({key}).has_value(); }

  /// InputError: missing, no integer, out of [low, high]; all with the position.
  std::int64_t integer(HfKeys keys, std::int64_t low, std::int64_t high) const;
  std::int64_t integer_or(HfKeys keys, std::int64_t other, std::int64_t low,
                          std::int64_t high) const;
  bool flag(HfKeys keys, bool other) const;
  /// Whether a probability is above zero.
  bool dropout(HfKeys keys, double other = 0) const;
  std::string_view text(std::string_view key, std::string_view other) const;
  Activation activation(HfKeys keys, Activation other) const;

 private:
  json::Value object_;
  std::vector<std::pair<std::string_view, json::Value>> members_;
};

}  // namespace dsim
