#pragma once
#include <string>

#include "model/workload/builder.h"

namespace dsim {

/// Appends cross-entropy of `rows` rows over `classes` logits, with fp32 log-softmax. Keeps the
/// logits and the log-probabilities; its transients (their gradients) raise the model's workspace.
void append_cross_entropy(ModelBuilder& builder, const std::string& label, std::int64_t rows,
                          std::int64_t classes);

}  // namespace dsim
