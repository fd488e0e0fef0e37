#pragma once
#include <span>

#include "calibrate/validate/training_plan.h"

namespace dsim {

/// Runs the experiments of planned rows on several threads, each distinct one once.
void predict_rows(std::span<PlannedRow> rows, const StepPredictor& predict,
                  const ValidationProgress& progress, unsigned threads);

}  // namespace dsim
