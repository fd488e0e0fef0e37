#include "model/cli/output_flags.h"

#include <unistd.h>

#include <CLI/App.hpp>
#include <cstdlib>
#include <string_view>

#include "sim/base/error.h"

namespace dsim {

void OutputFlags::add(CLI::App& command) {
  command.add_flag("--json", json, "one JSON object on standard output and nothing else")
      ->group("Output");
  csv_option_ = command.add_option("--csv", csv_, "CSV on standard output, or in FILE")
                    ->expected(0, 1)
                    ->type_name("[FILE]")
                    ->group("Output");
  command.add_flag("--quiet", quiet, "the answer in one line a point, and no progress")
      ->group("Output");
  command.add_flag("--no-color", no_color_, "no colours on a terminal (so does NO_COLOR)")
      ->group("Output");
}

bool OutputFlags::csv_to_stdout() const { return csv_option_->count() > 0 && csv_.empty(); }

void OutputFlags::check() {
  if (json && csv_to_stdout())
    throw InputError("--json and --csv both want standard output (give --csv a file)");
  if (!csv_.empty()) csv_file_.emplace("--csv", csv_);
}

TextStyle OutputFlags::style() const {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value ? value : "");
  };
  const bool colour = !no_color_ && variable("NO_COLOR").empty() && variable("TERM") != "dumb" &&
                      ::isatty(STDOUT_FILENO) == 1;
  return {colour};
}

}  // namespace dsim
