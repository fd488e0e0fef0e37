// dsim validate: published measurements, predicted and compared.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "calibrate/validate/collective/collectives_report.h"
#include "calibrate/validate/collective/leave_one_out.h"
#include "calibrate/validate/compute/compute_report.h"
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
class ValidateFlags {
 public:
  explicit ValidateFlags(CLI::App& command) {
    data_option_ = command
                       .add_option("--data", data_,
                                   "folders of CSV tables, or tables; default: the published "
                                   "figures shipped with dsim")
                       ->type_name("DIR...")
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

  /// The tables that are meant; without --data those of `places`.
  std::vector<CsvTable> tables(const std::vector<std::filesystem::path>& places) const {
    for (const std::string& place : data_)
      if (place.empty()) throw InputError("--data needs a folder or a table");
    if (data_option_->count() == 0) return load_tables(places, sources_);
    return load_tables({data_.begin(), data_.end()}, sources_);
  }
  bool quiet() const { return quiet_ || json_; }

  /// Writes the files first asked for, then what standard output gets.
  struct Faces {
    std::function<std::string()> text, markdown, json, csv, line;
    const std::vector<std::string>& notices;
  };
  void write(const Faces& faces) {
    if (csv_file_) csv_file_->write([&](std::ostream& out) { out << faces.csv(); });
    if (markdown_file_) markdown_file_->write([&](std::ostream& out) { out << faces.markdown(); });
    if (json_) return print(faces.json() + "\n");
    if (quiet_) return print(faces.line() + "\n");
    for (const std::string& notice : faces.notices) fmt::print(stderr, "note: {}\n", notice);
    print(faces.text());
  }
  /// Before the work, so that a file that cannot be written is known at once.
  void open_files() {
    if (!csv_.empty()) csv_file_.emplace("--csv", csv_);
    if (!markdown_.empty()) markdown_file_.emplace("--markdown", markdown_);
  }

 private:
  CLI::Option* data_option_ = nullptr;
  std::vector<std::string> data_, sources_;
  std::string csv_, markdown_;
  std::optional<OutputFile> csv_file_, markdown_file_;
  bool json_ = false, quiet_ = false;
};

[[noreturn]] void fail_without_rows(const std::vector<std::string>& notices) {
  throw InputError(notices.empty() ? std::string("the tables have no rows") : notices.front());
}

class ValidateTraining {
 public:
  explicit ValidateTraining(CLI::App& command) : flags_(command) {
    command.add_option("--rows", options_.ids, "only rows whose id contains one of these; every row "
                                               "is then printed")
        ->type_name("TEXT...")
        ->group("What");
    command
        .add_flag("--leave-one-out", leave_one_out_,
                  "also predict each source by derates that all others of its GPU ask for")
        ->group("What");
    command.add_option("--html", html_, "one page with tables and plot, into FILE")
        ->type_name("FILE")
        ->group("Output");
    command.add_option("--plot", plot_, "predicted against measured as SVG, into FILE")
        ->type_name("FILE")
        ->group("Output");
    command.add_flag("--all-rows", all_rows_, "every row in the text")->group("Output");
  }

  void run() {
    flags_.open_files();
    std::optional<OutputFile> html, plot;
    if (!html_.empty()) html.emplace("--html", html_);
    if (!plot_.empty()) plot.emplace("--plot", plot_);
    const std::vector<CsvTable> tables = flags_.tables({default_measurements("training")});
    ProgressBar bar(!flags_.quiet());
    TrainingValidation validation = validate_training(
        tables, simulated_step(),
        [&](std::size_t done, std::size_t all) {
          bar.show(static_cast<double>(done) / static_cast<double>(all));
        },
        options_);
    if (validation.rows.empty()) fail_without_rows(validation.notices);
    if (leave_one_out_) leave_one_source_out(validation);
    if (html) html->write([&](std::ostream& out) { out << training_html(validation); });
    if (plot) {
      if (validation.overall().points == 0) throw InputError("--plot: no row could be predicted");
      plot->write([&](std::ostream& out) { out << figure_svg(training_figure(validation)); });
    }
    flags_.write(
        {[&] { return training_text(validation, all_rows_ || !options_.ids.empty()); }, [&] { return training_markdown(validation); },
         [&] { return training_json(validation); }, [&] { return training_csv(validation); },
         [&] { return closing_line(validation.overall(), validation.not_predictable()); },
         validation.notices});
  }

 private:
  ValidateFlags flags_;
  ValidationOptions options_;
  std::string html_, plot_;
  bool leave_one_out_ = false, all_rows_ = false;
};

class ValidateCollectives {
 public:
  explicit ValidateCollectives(CLI::App& command) : flags_(command) {
    command
        .add_flag("--leave-one-out", leave_one_out_,
                  "also predict each machine by constants fitted on all others")
        ->group("What");
  }

  void run() {
    flags_.open_files();
    const std::vector<CsvTable> tables = flags_.tables(default_collective_tables());
    ProgressBar bar(!flags_.quiet());
    const auto progress = [&](std::size_t done, std::size_t all) {
      bar.show(static_cast<double>(done) / static_cast<double>(all));
    };
    CollectiveValidation validation = validate_collectives(tables, progress);
    if (validation.runs.empty() && validation.gaps.empty()) fail_without_rows(validation.notices);
    if (leave_one_out_) leave_one_out(validation, {}, progress);
    flags_.write({[&] { return collectives_text(validation); },
                  [&] { return collectives_markdown(validation); },
                  [&] { return collectives_json(validation); },
                  [&] { return collectives_csv(validation); },
                  [&] { return collectives_line(validation); }, validation.notices});
  }

 private:
  ValidateFlags flags_;
  bool leave_one_out_ = false;
};

class ValidateCompute {
 public:
  explicit ValidateCompute(CLI::App& command) : flags_(command) {}

  void run() {
    flags_.open_files();
    const std::vector<CsvTable> tables = flags_.tables({default_measurements("gemm")});
    ProgressBar bar(!flags_.quiet());
    const ComputeValidation validation =
        validate_compute(tables, [&](std::size_t done, std::size_t all) {
          bar.show(static_cast<double>(done) / static_cast<double>(all));
        });
    if (validation.rows.empty()) fail_without_rows(validation.notices);
    flags_.write({[&] { return compute_text(validation); },
                  [&] { return compute_markdown(validation); },
                  [&] { return compute_json(validation); }, [&] { return compute_csv(validation); },
                  [&] { return compute_line(validation); }, validation.notices});
  }

 private:
  ValidateFlags flags_;
};

}  // namespace

void add_validate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "validate", "published measurements against predictions: training, collectives, compute");
  command->require_subcommand(0, 1);
  CLI::App* training = command->add_subcommand("training", "step times of published training runs");
  training->callback([state = std::make_shared<ValidateTraining>(*training)] { state->run(); });
  CLI::App* collectives =
      command->add_subcommand("collectives", "times of published nccl-tests tables");
  collectives->callback(
      [state = std::make_shared<ValidateCollectives>(*collectives)] { state->run(); });
  CLI::App* compute =
      command->add_subcommand("compute", "times of measured GEMMs: columns m, n, k, latency_us");
  compute->callback([state = std::make_shared<ValidateCompute>(*compute)] { state->run(); });
  command->callback([command] {
    if (command->get_subcommands().empty())
      throw InputError("dsim validate what? (training, collectives, compute)");
  });
}

}  // namespace dsim
