#pragma once
#include <fmt/format.h>

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/simulate/settings.h"
#include "model/simulate/values.h"
#include "sim/base/error.h"
#include "sim/base/spelling.h"

// The rows of the settings table, one file a group of flags, and what their texts are read with.
namespace dsim {

std::span<const Setting> what_and_how_settings();
std::span<const Setting> parallel_settings();
std::span<const Setting> sharding_settings();
std::span<const Setting> horovod_settings();
std::span<const Setting> run_settings();
std::span<const Setting> network_settings();

namespace setting_values {

inline constexpr std::int64_t most_gpus = 1'000'000;
inline constexpr std::int64_t largest_batch = 1'000'000;

inline Job& job(ExperimentDraft& draft) { return draft.experiment.jobs.front(); }
inline TrainingOptions& training(ExperimentDraft& draft) { return job(draft).training; }

/// The value of a word in a small table; InputError lists the words.
template <class Value, std::size_t n>
Value choose(std::string_view what, std::string_view word,
             const std::array<std::pair<std::string_view, Value>, n>& table) {
  std::vector<std::string_view> known;
  for (const auto& [name, value] : table) {
    if (name == word) return value;
    known.push_back(name);
  }
  throw InputError(unknown_name(what, word, known));
}

inline std::uint32_t degree(std::string_view setting, std::string_view text) {
  return static_cast<std::uint32_t>(parse_whole(setting, text, 1, most_gpus));
}

}  // namespace setting_values
}  // namespace dsim
