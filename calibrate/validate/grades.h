#pragma once
#include <span>
#include <string_view>

#include "calibrate/validate/row_inputs.h"

namespace dsim {

/// How far a source states what a prediction needs. A: model, layout, batch, precision,
/// recomputation, GPU, nodes and fabric follow from row and header. B: some must come from a recipe.
/// C: only ratios or shapes. none: nobody graded it.
enum class Grade : std::uint8_t { a, a_minus, b, c, none };
std::string_view name_of(Grade grade);

/// From the `# source:` line and the row's framework and model.
Grade grade_of(const RowInputs& row);
/// Whether rows of this grade make the headline figure: A, A- and a user's own.
bool is_headline(Grade grade);

}  // namespace dsim
