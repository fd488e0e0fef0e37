#pragma once
#include <string>

namespace CLI {
class App;
}

namespace dsim {

/// What `dsim` without arguments prints.
std::string short_usage();

/// "dsim validate training": how a command is called.
std::string command_path(const CLI::App& command);

/// The help of a command: usage, flags by group, at 80 columns. For dsim itself also the other
/// commands, with the flags of simulate, which it takes.
std::string help_text(const CLI::App& command);

/// Version and optional parts.
std::string version_text();

}  // namespace dsim
