#pragma once
// The subcommands of dsim: each adds itself to the command line.
#include <CLI/App.hpp>

namespace dsim {

void add_simulate_command(CLI::App& app);
void add_scale_command(CLI::App& app);
void add_list_command(CLI::App& app);

}  // namespace dsim
