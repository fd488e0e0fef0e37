#pragma once
#include <string>

#include "model/simulate/compare.h"
#include "model/simulate/report_text.h"

namespace dsim {

/// A table of all runs, and below it why they differ, size by size.
std::string compare_text(const Comparison& comparison, const TextStyle& style = {});

/// {"format": "dsim.compare/1", "cases": [{"case", "gpus", "refused", "reason", "communication",
/// "report": dsim.report/1 or null}, ...]}.
std::string compare_json(const Comparison& comparison);

/// The CSV of reports with the columns "case" and "reason" before.
std::string compare_csv(const Comparison& comparison);

}  // namespace dsim
