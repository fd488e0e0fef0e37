#pragma once
// Elementwise operations by the bytes they move. Passes are reads or writes of e bytes an element.
#include <string>

#include "model/workload/builder.h"

namespace dsim {

/// GELU (with the bias when jit or compile fuse it): 2 passes forward, 3 backward; keeps its input.
void append_gelu(ModelBuilder& builder, const std::string& label, std::int64_t elements);

/// tanh of a pooler: 2 passes forward, 3 backward; keeps its output.
void append_tanh(ModelBuilder& builder, const std::string& label, std::int64_t elements);

/// Dropout with a mask of one byte: 2 passes + 1 B each way; keeps the mask.
void append_dropout(ModelBuilder& builder, const std::string& label, std::int64_t elements);

/// x + dropout(y), or x + y. eager: a kernel each; jit: bias, dropout and add in one (3 passes + 1
/// B); compile: part of the normalisation that follows. The gradient passes the add unchanged.
void append_residual_add(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                         bool dropout);

/// No forward work: in backward a tensor that `uses` operations read sums their gradients, 3 passes
/// for each use after the first. compile does it inside its neighbours.
void append_gradient_sum(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                         int uses);

/// A transposing copy: `passes` each way, in `launches` kernels. Nothing is appended for 0 passes.
void append_copy(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                 double forward_passes, double backward_passes, int launches);

/// Selects `selected` rows of `rows` (masked positions, first tokens): backward zeroes a full
/// tensor and writes the selected rows.
void append_row_selection(ModelBuilder& builder, const std::string& label, std::int64_t rows,
                          std::int64_t selected, std::int64_t width);

}  // namespace dsim
