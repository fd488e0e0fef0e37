#pragma once
#include <string>
#include <vector>

namespace dsim {

/// Runs the command that `arguments` (without the program's name) describe. InputError for what
/// cannot be understood, with the nearest known command or flag.
void run_command_line(std::vector<std::string> arguments);

}  // namespace dsim
