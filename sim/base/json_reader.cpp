#include <fmt/format.h>

#include <algorithm>

#include "sim/base/json.h"
#include "sim/base/source_line.h"
#include "sim/base/spelling.h"

namespace dsim::json {

ObjectReader::ObjectReader(Value object) : object_(object), members_(object.members()) {}

std::optional<Value> ObjectReader::find(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  for (const auto& [name, value] : members_)
    if (name == key) return value;
  return std::nullopt;
}

Value ObjectReader::at(std::string_view key) {
  if (const auto value = find(key)) return *value;
  std::vector<std::string_view> strangers;  // keys that nobody has asked for yet
  for (const auto& [name, value] : members_)
    if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) strangers.push_back(name);
  const std::string_view near = nearest(key, strangers);
  for (const auto& [name, value] : members_)
    if (!near.empty() && name == near)
      value.fail_at_key(
          fmt::format("missing key '{}' (is '{}' a misspelling of it?)", key, excerpt(near)));
  object_.fail(fmt::format("missing key '{}'", key));
}

void ObjectReader::finish() const {
  constexpr std::size_t enough = 11;  // one more than are shown together
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  std::vector<InputError> errors;
  for (const auto& [name, value] : members_) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    try {
      value.fail_at_key(unknown_name("key", name, known));
    } catch (const InputError& error) {
      errors.push_back(error);
    }
    if (errors.size() == enough) break;
  }
  if (errors.size() == 1) throw errors.front();
  if (!errors.empty()) throw InputError(errors);
}

void Problems::attempt(const std::function<void()>& reading) {
  try {
    reading();
  } catch (const InputError& error) {
    errors_.push_back(error);
  }
}

void Problems::raise() const {
  if (errors_.size() == 1) throw errors_.front();
  if (!errors_.empty()) throw InputError(errors_);
}

}  // namespace dsim::json
