#pragma once
#include <string_view>
#include <vector>

#include "model/compute/gpu.h"

namespace dsim {

/// Speed of one implementation of fused attention on the GPUs of one architecture.
struct AttentionCurves {
  AttentionKernel kernel;
  Architecture architecture;
  SizeCurve causal;  ///< forward, causal, heads of 128: fraction of peak by sequence length
  double narrow;     ///< efficiency of heads of 64 over that of heads of 128
  double wide;       ///< the same of heads of 256
  Level level;
  std::string_view source;
};

/// The whole table.
const std::vector<AttentionCurves>& attention_table();

/// The row of a kernel; `automatic` is fastest_attention(). InputError: the architecture has no
/// such kernel.
const AttentionCurves& attention_curves(AttentionKernel kernel, Architecture architecture);

/// The fastest fused kernel that trains on an architecture. InputError where there is none (before
/// Volta).
AttentionKernel fastest_attention(Architecture architecture);

/// What people use where they do not say: fastest_attention() from Turing on, else unfused. Another
/// kernel than `automatic` is itself; InputError if the architecture lacks it.
AttentionKernel resolved_attention(AttentionKernel asked, Architecture architecture);

/// How much a causal kernel loses to one without a mask at this sequence length, as their ratio.
double unmasked_gain(double sequence);

/// Backward efficiency at this sequence length over that of long sequences.
double backward_share(double sequence);

}  // namespace dsim
