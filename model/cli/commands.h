#pragma once
// The subcommands of dsim: each adds itself to the command line.

namespace CLI {
class App;
}

namespace dsim {

void add_simulate_command(CLI::App& app);
void add_scale_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_collective_command(CLI::App& app);
void add_topo_command(CLI::App& app);
void add_validate_command(CLI::App& app);
void add_list_command(CLI::App& app);

}  // namespace dsim
