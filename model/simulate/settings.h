#pragma once
// Everything about an experiment that people can set, as a table: command-line flags, fields of the
// window and axes of a sweep all come from these rows, with the same words and the same messages.
#include <string_view>
#include <vector>

#include "model/simulate/draft.h"

namespace dsim {

/// One setting. `value` is what stands for its value in the help ("N", "FILE"); empty = a switch.
struct Setting {
  std::string_view name;   ///< "micro-batch"; the flag is "--micro-batch"
  std::string_view group;  ///< "What", "How", "Parallel", "Sharding", "Horovod", "Run" or "Network"
  std::string_view value;
  std::string_view help;  ///< one sentence: what it changes, its unit, its default
  bool repeatable;
  /// Sets it in a draft; a switch ignores `text`. InputError names the flag and what was expected.
  void (*apply)(ExperimentDraft& draft, std::string_view text);
};

/// The rows in the order in which people should read them.
std::vector<const Setting*> settings();

/// Finds a setting by name; InputError names the nearest.
const Setting& setting(std::string_view name);

}  // namespace dsim
