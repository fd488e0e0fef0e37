#pragma once
#include <string>

#include "model/simulate/report.h"

namespace dsim {

/// How a text face may look.
struct TextStyle {
  bool colour = false;  ///< ANSI colours; only for a terminal, and not with NO_COLOR
};

/// The report for people: at most 30 lines of 80 columns, with a final newline. A job that does not
/// fit into memory says so first.
std::string report_text(const Report& report, const TextStyle& style = {});

/// The answer in one line: "187.4 ms  87,400 sequences/s  MFU 41.2 %".
std::string report_line(const Report& report);

}  // namespace dsim
