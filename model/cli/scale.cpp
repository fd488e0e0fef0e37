#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <optional>

#include "model/cli/commands.h"
#include "model/cli/experiment_flags.h"
#include "model/cli/output_flags.h"
#include "model/cli/progress_bar.h"
#include "model/cli/standard_output.h"
#include "model/plot/scaling_figure.h"
#include "model/simulate/report_csv.h"
#include "model/simulate/report_json.h"
#include "model/simulate/scaling_run.h"
#include "model/simulate/scaling_text.h"
#include "model/simulate/values.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

class ScaleCommand {
 public:
  explicit ScaleCommand(CLI::App& command) : experiment_(command, {"gpus", "nodes"}) {
    command
        .add_option(
            "--gpus", gpus_,
            "sizes to simulate, such as 8,16,...,512; default: from one node, doubling, to all")
        ->type_name("LIST")
        ->group("What");
    command
        .add_option("--scaling", scaling_,
                    "weak (the work of a GPU stays, default) or strong (the global batch stays)")
        ->type_name("NAME")
        ->group("What");
    output_.add(command);
    plot_option_ =
        command.add_option("--plot", plot_, "throughput and efficiency as an SVG picture")
            ->type_name("FILE")
            ->group("Output");
  }

  void run() {
    const ExperimentDraft draft = experiment_.draft();
    const ScalingMode mode = scaling_mode_from(scaling_);
    output_.check();
    std::optional<OutputFile> plot;
    if (plot_option_->count() > 0) plot.emplace("--plot", plot_);
    Scaling scaling;
    {
      ProgressBar bar(!output_.quiet);
      RunControl control;
      control.progress = [&](double fraction) { bar.show(fraction); };
      scaling = simulate_scaling(draft, sizes(draft), mode, control);
    }
    if (plot) plot->write([&](std::ostream& out) { out << figure_svg(scaling_figure(scaling)); });
    if (output_.csv_file())
      output_.csv_file()->write([&](std::ostream& out) { out << reports_csv(scaling.points); });
    if (output_.json)
      print(scaling_json(scaling));
    else if (output_.csv_to_stdout())
      print(reports_csv(scaling.points));
    else if (output_.quiet)
      for (const Report& report : scaling.points)
        print(fmt::format("{} {}  {}", report.gpus, report.gpus == 1 ? "GPU" : "GPUs",
                          report_line(report)));
    else
      print(scaling_text(scaling, output_.style()));
  }

 private:
  std::vector<std::int64_t> sizes(const ExperimentDraft& draft) const {
    if (!gpus_.empty()) return parse_gpu_counts("--gpus", gpus_);
    const auto topology = draft_topology(draft);
    return doubling_sizes(static_cast<std::int64_t>(topology->gpus_per_node()),
                          static_cast<std::int64_t>(topology->gpu_count()));
  }

  ExperimentFlags experiment_;
  OutputFlags output_;
  CLI::Option* plot_option_ = nullptr;
  std::string gpus_, scaling_ = "weak", plot_;
};

}  // namespace

void add_scale_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "scale", "the same job on more and more GPUs: throughput, efficiency, limits");
  command->callback([state = std::make_shared<ScaleCommand>(*command)] { state->run(); });
}

}  // namespace dsim
