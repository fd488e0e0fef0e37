#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "model/simulate/draft.h"

namespace CLI {
class App;
}

namespace dsim {

/// The flags of a command that describe an experiment: one for each row of settings().
class ExperimentFlags {
 public:
  /// Adds the flags to `command`, except those named in `left_out`.
  ExperimentFlags(CLI::App& command, const std::vector<std::string_view>& left_out = {});

  /// The draft they describe. InputError.
  ExperimentDraft draft() const;

 private:
  struct Given;
  std::vector<std::shared_ptr<Given>> given_;
};

}  // namespace dsim
