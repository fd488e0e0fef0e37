#include "model/cli/experiment_flags.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <string>

#include "model/simulate/settings.h"
#include "sim/base/error.h"

namespace dsim {

/// A setting and the texts given for it.
struct ExperimentFlags::Given {
  const Setting* setting;
  std::vector<std::string> texts;
  std::int64_t switched = 0;
};

ExperimentFlags::ExperimentFlags(CLI::App& command, const std::vector<std::string_view>& left_out) {
  command.footer("Sizes carry their unit: \"25 MiB\", \"1 GB\". GPUs and ranks count from 0.");
  for (const Setting* setting : settings()) {
    if (std::find(left_out.begin(), left_out.end(), setting->name) != left_out.end()) continue;
    auto given = std::make_shared<Given>();
    given->setting = setting;
    const std::string flag = fmt::format("--{}", setting->name), help(setting->help);
    CLI::Option* option = nullptr;
    if (setting->value.empty())
      option = command.add_flag(flag, given->switched, help);
    else
      option = command.add_option(flag, given->texts, help)
                   ->allow_extra_args(false)
                   ->type_name(std::string(setting->value));
    option->group(std::string(setting->group));
    given_.push_back(std::move(given));
  }
}

ExperimentDraft ExperimentFlags::draft() const {
  ExperimentDraft draft;
  for (const auto& given : given_) {
    if (given->texts.size() > 1 && !given->setting->repeatable)
      throw InputError(
          fmt::format("--{} is given {} times", given->setting->name, given->texts.size()));
    if (given->switched > 0) given->setting->apply(draft, "");
    for (const std::string& text : given->texts) given->setting->apply(draft, text);
  }
  return draft;
}

}  // namespace dsim
