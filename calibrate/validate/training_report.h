#pragma once
// The faces of a TrainingValidation. All end in, or hold, the same figures.
#include <string>

#include "calibrate/validate/training.h"
#include "model/plot/figure.h"

namespace dsim {

/// For a terminal: figures by grade, source, GPU, strategy and size, what is off and why, scaling
/// ratios, memory, what is not predictable; the last line is closing_line(). Every row only where
/// `rows` says so.
std::string training_text(const TrainingValidation& validation, bool rows = false);
/// The same for a document, every row and every reason listed.
std::string training_markdown(const TrainingValidation& validation);
/// One page with its style and its plot inside.
std::string training_html(const TrainingValidation& validation);
/// One object, format dsim.validation/1: rows, ratios, summary. Errors are fractions; what does not
/// exist is null.
std::string training_json(const TrainingValidation& validation);
/// One line a row of the tables, RFC 4180.
std::string training_csv(const TrainingValidation& validation);
/// Predicted against measured step times, both logarithmic, with lines of 20 %. Requires a row that
/// can be compared.
Figure training_figure(const TrainingValidation& validation);

/// A field of a CSV line, quoted if it must be.
std::string csv_field(std::string_view text);

/// Absolute errors above this are listed with an explanation.
inline constexpr double notable_error = 0.20;

// Groups in which the figures are given; keys for TrainingValidation::by.
std::string grade_key(const TrainingRow& row);
std::string source_key(const TrainingRow& row);
std::string gpu_key(const TrainingRow& row);
std::string strategy_key(const TrainingRow& row);  ///< "ddp", "megatron tp pp", ...
std::string size_key(const TrainingRow& row);      ///< "1 GPU", "2-8 GPUs", "9-64 GPUs", ...

/// A way to group the rows, with its title.
struct Grouping {
  std::string_view title;
  std::string (*key)(const TrainingRow&);
};
std::span<const Grouping> groupings();

/// The constants that were set on published rows, with their source, of the GPUs that were
/// simulated.
struct SetConstant {
  std::string gpu, name;
  Constant constant;
};
std::vector<SetConstant> set_constants(const TrainingValidation& validation);

/// "memory: median 4.0 % p90 ... over 80 rows; out of memory foreseen in 9 of 10 ..."
std::string memory_line(const TrainingValidation& validation);

}  // namespace dsim
