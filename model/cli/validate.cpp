// dsim validate: published measurements, predicted and compared.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "calibrate/validate/table_files.h"
#include "calibrate/validate/training_report.h"
#include "model/cli/commands.h"
#include "model/cli/progress_bar.h"
#include "model/cli/standard_output.h"
#include "sim/base/error.h"
#include "sim/base/output_file.h"

namespace dsim {
namespace {

/// The flags that all validations share.
class ValidateTraining {
 public:
  explicit ValidateTraining(CLI::App& command) {
    data_option_ = command
                       .add_option("--data", data_,
                                   "folder of CSV tables, or one table; default: the published "
                                   "figures shipped with dsim")
                       ->type_name("DIR")
                       ->group("What");
    command.add_option("--source", sources_, "only these tables of the folder, by name")
        ->type_name("NAME...")
        ->group("What");
    command.add_flag("--json", json_, "one JSON object on standard output and nothing else")
        ->group("Output");
    command.add_option("--csv", csv_, "a line a row, into FILE")
        ->type_name("FILE")
        ->group("Output");
    command.add_option("--markdown", markdown_, "the report with every reason, into FILE")
        ->type_name("FILE")
        ->group("Output");
    command.add_flag("--quiet", quiet_, "the closing line alone, and no progress")->group("Output");
  }

  void run() {
    if (data_option_->count() > 0 && data_.empty())
      throw InputError("--data needs a folder or a table");
    std::optional<OutputFile> csv, markdown;
    if (!csv_.empty()) csv.emplace("--csv", csv_);
    if (!markdown_.empty()) markdown.emplace("--markdown", markdown_);

    const std::filesystem::path place =
        data_.empty() ? default_measurements("training") : std::filesystem::path(data_);
    const TrainingValidation validation = validated(place);
    if (csv) csv->write([&](std::ostream& out) { out << training_csv(validation); });
    if (markdown) markdown->write([&](std::ostream& out) { out << training_markdown(validation); });
    if (json_) return print(training_json(validation) + "\n");
    if (quiet_)
      return print(closing_line(validation.overall(), validation.not_predictable()) + "\n");
    for (const std::string& notice : validation.notices) fmt::print(stderr, "note: {}\n", notice);
    print(training_text(validation));
  }

 private:
  TrainingValidation validated(const std::filesystem::path& place) const {
    const std::vector<CsvTable> tables = load_tables(place, sources_);
    ProgressBar bar(!quiet_ && !json_);
    TrainingValidation validation =
        validate_training(tables, simulated_step_time(), [&](std::size_t done, std::size_t all) {
          bar.show(static_cast<double>(done) / static_cast<double>(all));
        });
    if (validation.rows.empty())
      throw InputError(validation.notices.empty() ? place.string() + ": no rows"
                                                  : validation.notices.front());
    return validation;
  }

  CLI::Option* data_option_ = nullptr;
  std::string data_, csv_, markdown_;
  std::vector<std::string> sources_;
  bool json_ = false, quiet_ = false;
};

}  // namespace

void add_validate_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("validate", "published measurements against predictions: training");
  command->require_subcommand(0, 1);
  CLI::App* training = command->add_subcommand("training", "step times of published training runs");
  training->callback([state = std::make_shared<ValidateTraining>(*training)] { state->run(); });
  command->callback([command] {
    if (command->get_subcommands().empty()) throw InputError("dsim validate what? (training)");
  });
}

}  // namespace dsim
