#include "model/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "model/cli/commands.h"
#include "model/cli/help.h"
#include "model/cli/standard_output.h"
#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

bool is_flag(const std::string& argument) { return argument.size() > 1 && argument[0] == '-'; }

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string unknown_command(const std::string& word, const CLI::App& app) {
  const std::vector<std::string> names = command_names(app);
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (word.ends_with(".json"))
    return fmt::format("'{0}' is not a command (a topology is given as --topology {0})", word);
  return unknown_name("command", word, known);
}

/// The long flags of a command, with their dashes.
std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::string unknown_flag(const std::string& argument, const CLI::App& command,
                         const CLI::App& app) {
  const std::string flag = argument.substr(0, argument.find('='));
  const std::string path = command.get_name() == "simulate" ? "dsim" : command_path(command);
  for (const CLI::App* other : app.get_subcommands({})) {
    const std::vector<std::string> theirs = flags_of(*other);
    if (std::find(theirs.begin(), theirs.end(), flag) != theirs.end())
      return fmt::format("unknown flag '{}' of {} (dsim {} has it)", flag, path, other->get_name());
  }
  const std::vector<std::string> flags = flags_of(command);
  const std::vector<std::string_view> known(flags.begin(), flags.end());
  const std::string_view near = nearest(flag.starts_with("--") ? flag : "-" + flag, known);
  if (!near.empty()) return fmt::format("unknown flag '{}' (did you mean '{}'?)", flag, near);
  return fmt::format("unknown flag '{}' ({} --help lists the known ones)", flag, path);
}

/// The innermost command that was reached.
const CLI::App* reached(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return command;
}

/// What was left over by the innermost command.
std::string unexpected(const CLI::App& app) {
  const CLI::App* command = reached(app);
  const std::vector<std::string> rest = app.remaining(true);
  const auto flag = std::find_if(rest.begin(), rest.end(), is_flag);
  if (flag != rest.end()) return unknown_flag(*flag, *command, app);
  const std::string word = rest.empty() ? "" : rest.front();
  const std::vector<std::string> names = command_names(app);
  if (std::find(names.begin(), names.end(), word) != names.end())
    return fmt::format("the command '{0}' comes first: dsim {0} ...", word);
  if (!command->get_subcommands({}).empty()) return unknown_command(word, *command);
  return fmt::format("unexpected argument '{}'", word);
}

}  // namespace

void run_command_line(std::vector<std::string> arguments) {
  CLI::App app("simulator of distributed deep-learning training", "dsim");
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "this text");  // the commands inherit it
  add_simulate_command(app);
  add_scale_command(app);
  add_compare_command(app);
  add_collective_command(app);
  add_topo_command(app);
  add_validate_command(app);
  add_list_command(app);

  if (arguments.empty()) return print(short_usage());
  if (arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  if (arguments[0] == "--version" || arguments[0] == "-V") return print(version_text());
  if (arguments[0] == "--help" || arguments[0] == "-h") return print(help_text(app));
  const std::vector<std::string> names = command_names(app);
  if (std::find(names.begin(), names.end(), arguments[0]) == names.end()) {
    if (!is_flag(arguments[0])) throw InputError(unknown_command(arguments[0], app));
    arguments.insert(arguments.begin(), "simulate");
  }

  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    print(help_text(*reached(app)));
  } catch (const CLI::ExtrasError&) {
    throw InputError(unexpected(app));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view text = error.what();  // "--model: 1 required NAME missing"
    throw InputError(fmt::format("{} needs a value", text.substr(0, text.find(':'))));
  } catch (const CLI::RequiredError& error) {
    throw InputError(fmt::format("{} (dsim {} --help)", error.what(), reached(app)->get_name()));
  } catch (const CLI::ParseError& error) {
    throw InputError(error.what());
  }
}

}  // namespace dsim
