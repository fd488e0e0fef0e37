#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// BERT (Devlin et al. 2018, arXiv:1810.04805) with both pretraining heads and tied word
/// embeddings, tensors as in Hugging Face BertForPreTraining.
std::span<const ModelKind> bert_kinds();

/// Masked positions the language-model head computes in a sequence: 5/32 of it rounded up, which is
/// max_predictions_per_seq of the public pretraining recipes (20 of 128, 80 of 512).
std::int64_t bert_predictions(std::int64_t sequence);

}  // namespace dsim
