#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <span>

#include "model/cli/commands.h"
#include "model/cli/experiment_flags.h"
#include "model/cli/output_flags.h"
#include "model/cli/progress_bar.h"
#include "model/cli/standard_output.h"
#include "model/simulate/report_csv.h"
#include "model/simulate/report_json.h"
#include "model/simulate/values.h"
#include "sim/base/error.h"
#include "sim/trace/perfetto.h"

namespace dsim {
namespace {

class SimulateCommand {
 public:
  explicit SimulateCommand(CLI::App& command) : experiment_(command) {
    output_.add(command);
    trace_option_ =
        command.add_option("--trace", trace_, "timeline of the step, for ui.perfetto.dev")
            ->type_name("FILE")
            ->group("Output");
    ranks_option_ =
        command
            .add_option("--trace-ranks", trace_ranks_,
                        "ranks in the trace, such as 0,5,8-11; default: one of each class")
            ->type_name("LIST")
            ->group("Output");
  }

  void run() {
    const ExperimentDraft draft = experiment_.draft();
    output_.check();
    std::optional<OutputFile> trace;
    if (trace_option_->count() > 0) trace.emplace("--trace", trace_);
    const Experiment experiment = resolve(draft, draft_topology(draft));

    RunControl control;
    control.record_timeline = trace.has_value();
    control.timeline_ranks = traced_ranks(experiment, trace.has_value());
    if (output_.quiet && output_.text()) control.elasticities = control.scaling = false;
    Report report;
    {
      ProgressBar bar(!output_.quiet);
      control.progress = [&](double fraction) { bar.show(fraction); };
      report = simulate(experiment, control);
    }
    if (trace) trace->write([&](std::ostream& out) { write_perfetto(*report.timeline, out); });
    const auto csv = [&] { return reports_csv(std::span(&report, 1)); };
    if (output_.csv_file()) output_.csv_file()->write([&](std::ostream& out) { out << csv(); });
    if (output_.json)
      print(report_json(report));
    else if (output_.csv_to_stdout())
      print(csv());
    else
      print(output_.quiet ? report_line(report) : report_text(report, output_.style()));
  }

 private:
  std::vector<std::uint32_t> traced_ranks(const Experiment& experiment, bool traced) const {
    if (ranks_option_->count() == 0) return {};
    if (!traced) throw InputError("--trace-ranks without --trace FILE");
    const auto ranks = parse_ranks("--trace-ranks", trace_ranks_);
    const std::size_t gpus = experiment.topology->gpu_count();
    for (const std::uint32_t rank : ranks)
      if (rank >= gpus)
        throw InputError(fmt::format(
            "--trace-ranks names rank {}, but there are {} ranks (0 to {})", rank, gpus, gpus - 1));
    return ranks;
  }

  ExperimentFlags experiment_;
  OutputFlags output_;
  CLI::Option* trace_option_ = nullptr;
  CLI::Option* ranks_option_ = nullptr;
  std::string trace_, trace_ranks_;
};

}  // namespace

void add_simulate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "simulate", "one training step: how long it takes, where the time goes, what would help");
  command->callback([state = std::make_shared<SimulateCommand>(*command)] { state->run(); });
}

}  // namespace dsim
