#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "model/cli/commands.h"
#include "model/cli/experiment_flags.h"
#include "model/cli/output_flags.h"
#include "model/cli/progress_bar.h"
#include "model/cli/standard_output.h"
#include "model/simulate/compare_report.h"
#include "model/simulate/report_text.h"
#include "model/simulate/values.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

/// "a,b,c"; an empty text is an empty list.
std::vector<std::string> names_in(std::string_view flag, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin)
      throw InputError(fmt::format("{} '{}' has an empty name between its commas", flag, text));
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

class CompareCommand {
 public:
  explicit CompareCommand(CLI::App& command)
      : experiment_(command, {"gpus", "nodes", "framework", "strategy", "backend"}) {
    const auto list = [&](const char* flag, std::string& text, const char* help,
                          const char* group) {
      command.add_option(flag, text, help)->type_name("LIST")->group(group);
    };
    list("--gpus", gpus_,
         "sizes to compare at, such as 8,16,...,512; default: from one node, doubling, to all",
         "What");
    list("--framework", frameworks_,
         "of pytorch, horovod, dataparallel (torch.nn.DataParallel); default pytorch,horovod",
         "How");
    list("--strategy", strategies_, "as simulate takes it, several with commas between", "How");
    list("--backend", backends_, "of nccl, gloo, mpi", "How");
    output_.add(command);
  }

  void run() {
    const ExperimentDraft draft = experiment_.draft();
    ComparedNames names{names_in("--framework", frameworks_), names_in("--strategy", strategies_),
                        names_in("--backend", backends_)};
    if (frameworks_.empty() && strategies_.empty() && backends_.empty())
      names.frameworks = {"pytorch", "horovod"};
    const auto cases = compared_cases(draft, names);
    output_.check();
    Comparison comparison;
    {
      ProgressBar bar(!output_.quiet);
      RunControl control;
      control.progress = [&](double fraction) { bar.show(fraction); };
      comparison = compare(cases, sizes(draft), control);
    }
    if (output_.csv_file())
      output_.csv_file()->write([&](std::ostream& out) { out << compare_csv(comparison); });
    if (output_.json)
      print(compare_json(comparison));
    else if (output_.csv_to_stdout())
      print(compare_csv(comparison));
    else if (output_.quiet)
      for (const ComparedRun& run : comparison.runs)
        print(fmt::format("{} GPUs  {}  {}", run.gpus, comparison.cases[run.of],
                          run.report ? report_line(*run.report) : run.refusal + "\n"));
    else
      print(compare_text(comparison, output_.style()));
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
  std::string gpus_, frameworks_, strategies_, backends_;
};

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "compare", "one job under several frameworks, strategies and back ends, and why they differ");
  command->callback([state = std::make_shared<CompareCommand>(*command)] { state->run(); });
}

}  // namespace dsim
