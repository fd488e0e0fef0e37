#pragma once
#include <string>

#include "model/simulate/report_text.h"
#include "model/simulate/scaling.h"

namespace dsim {

/// The points as a table of at most 80 columns, with what was simulated above it.
std::string scaling_text(const Scaling& scaling, const TextStyle& style = {});

}  // namespace dsim
