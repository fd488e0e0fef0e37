#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "model/cli/commands.h"
#include "model/cli/standard_output.h"
#include "model/simulate/topology_gpu.h"
#include "sim/base/error.h"
#include "sim/base/output_file.h"
#include "sim/network/topology_dot.h"
#include "sim/network/topology_report.h"

namespace dsim {
namespace {

class TopoCommand {
 public:
  explicit TopoCommand(CLI::App& command) {
    command.add_option("FILE", file_, "a topology file, or the name of a shipped one")
        ->required()
        ->group("What");
    dot_option_ =
        command
            .add_option("--dot", dot_,
                        "draw it for Graphviz, on standard output or in FILE: whole up to "
                        "2,000 vertices, beyond that the first node and its switches")
            ->expected(0, 1)
            ->type_name("[FILE]")
            ->group("Output");
    command.add_flag("--json", json_, "one JSON object on standard output and nothing else")
        ->group("Output");
  }

  void run() {
    const bool dot = dot_option_->count() > 0, dot_to_stdout = dot && dot_.empty();
    if (json_ && dot_to_stdout)
      throw InputError("--json and --dot both want standard output (give --dot a file)");
    std::optional<OutputFile> picture;
    if (!dot_.empty()) picture.emplace("--dot", dot_);
    const auto topology = load_topology(file_);
    gpu_of(*topology);  // refuses a GPU that no row of the table has
    if (dot_to_stdout) return print(topology_dot(*topology));
    const TopologySummary summary = summarize(*topology);
    if (picture) picture->write([&](std::ostream& out) { out << topology_dot(*topology); });
    print(json_ ? topology_json(summary) : topology_text(summary));
  }

 private:
  CLI::Option* dot_option_ = nullptr;
  std::string file_, dot_;
  bool json_ = false;
};

}  // namespace

void add_topo_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("topo", "what a topology file describes: counts, links, bisection, NICs");
  command->callback([state = std::make_shared<TopoCommand>(*command)] { state->run(); });
}

}  // namespace dsim
