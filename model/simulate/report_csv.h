#pragma once
#include <span>
#include <string>

#include "model/simulate/report.h"

namespace dsim {

/// Reports as CSV (RFC 4180, lines end in LF): one header row, one row a report. Columns are named
/// as the keys of dsim.report/1; what is not known is empty.
std::string reports_csv(std::span<const Report> reports);

}  // namespace dsim
