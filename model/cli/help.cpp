#include "model/cli/help.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <vector>

#include "model/simulate/text_layout.h"

namespace dsim {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t flag_columns = 27;

constexpr std::string_view introduction =
    "dsim simulates one training step of a neural network on a GPU cluster.\n"
    "\n"
    "  dsim --topology dgx8x64.json --model bert            one step, explained\n"
    "  dsim scale --topology dgx8x64.json --model bert      from one node to all\n"
    "  dsim compare --topology dgx8x64.json --model bert    PyTorch beside Horovod\n"
    "  dsim collective --topology dgx8x64.json              all-reduce times, as nccl-tests\n"
    "  dsim topo dgx8x64.json                               what a cluster file describes\n"
    "  dsim validate training                               published step times, predicted\n"
    "  dsim list                                            models, GPUs, clusters, ...\n";

/// "  --seq N                  tokens a sequence; default: the model's", wrapped.
std::string entry(const std::string& name, const std::string& help) {
  std::string head = "  " + name, text;
  if (display_width(head) + 2 > flag_columns) {
    text = head + '\n';
    head.clear();
  }
  for (const std::string& line : wrap_text(pad_right(head, flag_columns), help, width))
    text += line + '\n';
  return text;
}

std::string name_of_option(const CLI::Option& option) {
  std::string name =
      option.get_positional() ? option.get_name(true, false) : option.get_name(false, true);
  std::replace(name.begin(), name.end(), ',', ' ');
  const bool has_value = option.get_items_expected_max() > 0 && option.nonpositional();
  return has_value ? name + " " + option.get_type_name() : name;
}

std::string options_text(const CLI::App& command) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : command.get_options())
    if (std::find(groups.begin(), groups.end(), option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  // --help was added first, but is read last.
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != "Options"; });
  std::string text;
  for (const std::string& group : groups) {
    if (group.empty()) continue;
    text += '\n' + (group == "Options" ? "Other" : group) + '\n';
    for (const CLI::Option* option : command.get_options())
      if (option->get_group() == group)
        text += entry(name_of_option(*option), option->get_description());
  }
  return text;
}

std::string commands_text(const CLI::App& command) {
  std::string text;
  for (const CLI::App* other : command.get_subcommands({}))
    text += entry(other->get_name(), other->get_description());
  return text;
}

/// What a command has to say about its values, if anything.
std::string footer_text(const CLI::App& command) {
  std::string text;
  if (command.get_footer().empty()) return text;
  for (const std::string& line : wrap_text("", command.get_footer(), width)) text += line + '\n';
  return '\n' + text;
}

std::string usage_line(const CLI::App& command) {
  std::string usage = "Usage: " + command_path(command);
  if (command.get_option_no_throw("--topology")) usage += " --topology FILE";
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) usage += " " + option->get_name(true, false);
  if (!command.get_subcommands({}).empty()) usage += " COMMAND";
  return usage + " [flags]\n";
}

}  // namespace

std::string command_path(const CLI::App& command) {
  std::string path = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent; parent = parent->get_parent())
    path = parent->get_name() + " " + path;
  return path;
}

std::string short_usage() {
  return std::string(introduction) +
         "\ndsim --help lists every flag, dsim COMMAND --help those of a command.\n";
}

std::string help_text(const CLI::App& command) {
  if (command.get_parent())
    return fmt::format("{}: {}\n\n", command_path(command), command.get_description()) +
           usage_line(command) +
           (command.get_subcommands({}).empty() ? "" : "\nCommands\n" + commands_text(command)) +
           options_text(command) + footer_text(command);
  return short_usage() +
         "\nUsage: dsim [simulate] --topology FILE [flags]\n       dsim COMMAND [flags]\n" +
         "\nCommands\n" + commands_text(command) +
         options_text(*command.get_subcommand("simulate")) +
         entry("--version", "version, and which optional parts were built in") +
         "\nSizes carry their unit: \"25 MiB\", \"1 GB\". Bare names of topologies are looked\n"
         "for in the working directory, then among the shipped ones. Exit status: 0 done,\n"
         "2 a mistake in the input, 1 anything else.\n";
}

std::string version_text() {
  return fmt::format("dsim {}\nOptional parts: {}\n", DSIM_VERSION, DSIM_PARTS);
}

}  // namespace dsim
