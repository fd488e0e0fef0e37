#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// Encoder-decoder transformers: T5 (Raffel et al. 2019, arXiv:1910.10683; v1.0 as Hugging Face's
/// T5ForConditionalGeneration) with relative position bias, and the translation models of Vaswani et
/// al. 2017 (arXiv:1706.03762; as fairseq's transformer_wmt_en_de) with shared embeddings.
std::span<const ModelKind> encoder_decoder_kinds();

}  // namespace dsim
