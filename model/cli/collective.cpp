// dsim collective: how long a collective takes, in nccl-tests' layout.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "calibrate/nccl_tests/comparison.h"
#include "calibrate/nccl_tests/read_tables.h"
#include "model/cli/collective_beside.h"
#include "model/cli/collective_flags.h"
#include "model/cli/commands.h"
#include "model/cli/output_flags.h"
#include "model/cli/progress_bar.h"
#include "model/cli/standard_output.h"
#include "model/collective/host_explain.h"
#include "model/collective/nccl/explain.h"
#include "model/collective/report/collective_json.h"
#include "model/collective/report/collective_text.h"
#include "model/plot/collective_figure.h"
#include "sim/base/error.h"
#include "sim/base/output_file.h"

namespace dsim {
namespace {

constexpr std::string_view see_more =
    "# See more             : --explain (why this algorithm), --compare LOG, --plot FILE.svg, "
    "--json, "
    "--beside, dsim collective --help\n";

/// Those of a file that measured the operation: the one asked for, or that of the first table.
std::vector<MeasuredTable> tables_for(const std::string& path, const std::string& operation) {
  std::vector<MeasuredTable> tables = load_measured_tables(path);
  std::string wanted;
  if (!operation.empty()) wanted = name_of(collective_by_name(operation));
  if (wanted.empty()) wanted = tables.front().facts.collective;
  if (wanted.empty())
    throw InputError(
        fmt::format("{}: does not say which collective it measured (give --op)", path));
  std::vector<MeasuredTable> found;
  std::string others;
  for (MeasuredTable& table : tables) {
    const std::string& collective = table.facts.collective;
    if (collective == wanted || collective.empty())
      found.push_back(std::move(table));
    else if (others.find(collective) == std::string::npos)
      others += (others.empty() ? "" : ", ") + collective;
  }
  if (found.empty()) throw InputError(fmt::format("{}: measured {}, not {}", path, others, wanted));
  if (!others.empty())
    found.front().notices.push_back(fmt::format("the file also measured {} (--op)", others));
  return found;
}

class CollectiveCommand {
 public:
  explicit CollectiveCommand(CLI::App& command) : flags_(command) {
    command
        .add_option("--beside", beside_,
                    "a job at the same time, \"op=all_gather,size=1G,ranks=0-7\"; may be repeated")
        ->allow_extra_args(false)
        ->type_name("JOB")
        ->group("What");
    compare_option_ =
        command
            .add_option("--compare", compare_,
                        "measured beside predicted: a log or JSON of nccl-tests, CSV, or our own "
                        "output; operation, ranks, type, sizes and version default to the file's")
            ->type_name("FILE")
            ->group("What");
    output_.add(command);
    command
        .add_flag("--explain", explain_,
                  "why this algorithm and protocol: NCCL's estimates, Gloo's and MPI's rules; with "
                  "one size the whole table")
        ->group("Output");
    plot_option_ =
        command
            .add_option("--plot", plot_,
                        "busbw and time over size as an SVG picture, measured points with "
                        "--compare")
            ->type_name("FILE")
            ->group("Output");
  }

  void run() {
    output_.check();
    std::optional<OutputFile> plot;
    if (plot_option_->count() > 0) plot.emplace("--plot", plot_);
    std::vector<MeasuredTable> measured;
    if (compare_option_->count() > 0) measured = tables_for(compare_, flags_.operation());
    const CollectiveRequestSet request = flags_.request(measured);
    std::vector<ConcurrentCollective> others;
    for (const std::string& text : beside_)
      others.push_back(parse_beside(text, request.setup, request.query));

    const CollectiveReport report = simulated(request, others);
    std::vector<CollectiveComparison> comparisons;
    for (const MeasuredTable& table : measured) comparisons.push_back(compare(table, report));
    if (plot)
      plot->write([&](std::ostream& out) { out << figure_svg(figure(report, comparisons)); });
    if (output_.csv_file())
      output_.csv_file()->write([&](std::ostream& out) { out << collective_csv(report); });
    show(report, comparisons);
  }

 private:
  CollectiveReport simulated(const CollectiveRequestSet& request,
                             const std::vector<ConcurrentCollective>& others) {
    ProgressBar bar(!output_.quiet && !output_.json);
    CollectivePredictor predictor(request.setup);
    CollectiveReport report = run_sweep(predictor, request.query, request.sizes,
                                        [&](double fraction) { bar.show(fraction); });
    report.forced = request.forced;
    if (explain_) explanation_ = explained(request, predictor, report);
    if (!others.empty()) run_beside(report, request.setup, request.query, others);
    return report;
  }

  /// "" where choice_text says it all.
  static std::string explained(const CollectiveRequestSet& request, CollectivePredictor& predictor,
                               const CollectiveReport& report) {
    const CollectiveSetup& setup = request.setup;
    if (!setup.algorithm.empty())
      return fmt::format("Why: {} was asked for.\n",
                         setup.custom ? "--program" : "--algorithm " + setup.algorithm);
    if (setup.backend == Backend::nccl)
      return report.points.size() > 1
                 ? ""
                 : explain_nccl(predictor.graphs(), nccl_machine(predictor.communicator()),
                                setup.nccl, report.op, report.points[0].size, report.type);
    const HostCall call{report.op, report.points[0].size, report.ranks, report.nodes};
    if (report.points.size() == 1) return explain_host(setup.backend, call);
    std::vector<Bytes> sizes;
    for (const CollectivePoint& point : report.points) sizes.push_back(point.size);
    return explain_host(setup.backend, call, sizes);
  }

  void show(const CollectiveReport& report,
            const std::vector<CollectiveComparison>& comparisons) const {
    if (output_.json)
      return print(collective_json(
          report, {explain_, comparisons.empty() ? "" : comparisons_json(comparisons)}));
    if (output_.csv_to_stdout()) return print(collective_csv(report));
    if (output_.quiet) {
      if (comparisons.empty()) return print(collective_lines(report));
      for (const CollectiveComparison& comparison : comparisons)
        print(closing_line(comparison.summary, 0) + "\n");
      return;
    }
    if (comparisons.empty()) {
      print(collective_table(report) + collective_closing(report) + std::string(see_more));
    } else {
      print(collective_heading(report));
      for (const CollectiveComparison& comparison : comparisons)
        print("\n" + comparison_text(comparison));
      print("\n" + collective_closing(report));
    }
    if (explain_) print("\n" + (explanation_.empty() ? choice_text(report) : explanation_));
  }

  static Figure figure(const CollectiveReport& report,
                       const std::vector<CollectiveComparison>& comparisons) {
    std::vector<MeasuredPoint> points;
    for (const CollectiveComparison& comparison : comparisons)
      for (const ComparedRow& row : comparison.rows)
        points.push_back({static_cast<double>(row.point->size.count), row.measured_us * 1e-6,
                          row.measured_busbw_gbps * 1e9});
    return collective_figure(report, points);
  }

  CollectiveFlags flags_;
  OutputFlags output_;
  CLI::Option* compare_option_ = nullptr;
  CLI::Option* plot_option_ = nullptr;
  std::string compare_, plot_;
  std::vector<std::string> beside_;
  bool explain_ = false;
  std::string explanation_;  ///< of the only size, or of rules
};

}  // namespace

void add_collective_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "collective", "how long a collective takes, in nccl-tests' layout, and why");
  command->callback([state = std::make_shared<CollectiveCommand>(*command)] { state->run(); });
}

}  // namespace dsim
