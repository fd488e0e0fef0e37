#pragma once
// The faces of a TrainingValidation. All end in, or hold, the same figures.
#include <string>

#include "calibrate/validate/training.h"

namespace dsim {

/// For a terminal: a table per source, what is off and why, scaling ratios, what is not
/// predictable; the last line is closing_line().
std::string training_text(const TrainingValidation& validation);
/// The same for a document, every reason listed.
std::string training_markdown(const TrainingValidation& validation);
/// One object, format dsim.validation/1: rows, ratios, summary. Errors are fractions; what does not
/// exist is null.
std::string training_json(const TrainingValidation& validation);
/// One line a row of the tables, RFC 4180.
std::string training_csv(const TrainingValidation& validation);

/// A field of a CSV line, quoted if it must be.
std::string csv_field(std::string_view text);

/// Absolute errors above this are listed with an explanation.
inline constexpr double notable_error = 0.20;

// Groups in which the figures are given; keys for TrainingValidation::by.
std::string source_key(const TrainingRow& row);
std::string hardware_key(const TrainingRow& row);  ///< source, GPU, precision
std::string size_key(const TrainingRow& row);      ///< "1 GPU", "2-8 GPUs", "9-64 GPUs", ...

}  // namespace dsim
