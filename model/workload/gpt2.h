#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// GPT-2 (Radford et al. 2019) with the tied language-model head on every token, tensors as in
/// Hugging Face GPT2LMHeadModel.
std::span<const ModelKind> gpt2_kinds();

}  // namespace dsim
