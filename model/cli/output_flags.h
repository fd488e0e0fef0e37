#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/simulate/report_text.h"
#include "sim/base/output_file.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dsim {

/// The output flags that simulate and scale share: --json, --csv [FILE], --quiet, --no-color.
/// At most one of --json and --csv without FILE takes standard output.
class OutputFlags {
 public:
  OutputFlags() = default;
  OutputFlags(const OutputFlags&) = delete;  // the command line holds pointers to the members
  OutputFlags& operator=(const OutputFlags&) = delete;

  void add(CLI::App& command);
  /// Checks the combination and that the CSV file can be written. InputError.
  void check();

  bool json = false, quiet = false;
  bool csv_to_stdout() const;
  /// For people: neither JSON nor CSV takes standard output.
  bool text() const { return !json && !csv_to_stdout(); }
  const std::optional<OutputFile>& csv_file() const { return csv_file_; }
  TextStyle style() const;

 private:
  CLI::Option* csv_option_ = nullptr;
  std::string csv_;
  bool no_color_ = false;
  std::optional<OutputFile> csv_file_;
};

}  // namespace dsim
