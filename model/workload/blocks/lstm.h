#pragma once
#include <string>
#include <vector>

#include "model/workload/builder.h"

namespace dsim {

/// One direction of an LSTM layer, with its four gates in one matrix: weight_ih [4 hidden, inputs],
/// weight_hh [4 hidden, hidden], bias_ih, bias_hh.
struct Lstm {
  std::string label;
  ParameterId weight_ih, weight_hh, bias_ih, bias_hh;
  std::int64_t inputs = 0, hidden = 0;
};

/// Registers them as `path`.weight_ih_l0`suffix` and so on.
Lstm declare_lstm(ModelBuilder& builder, std::string label, const std::string& path,
                  const std::string& suffix, std::int64_t inputs, std::int64_t hidden);

/// Appends `steps` steps over `batch` sequences: one GEMM for the inputs of all steps, then a GEMM
/// of the hidden state and a fused pointwise kernel a step, one after the other; backward alike,
/// with weight gradients over all steps at once. All four gradients are complete together.
void append_lstm(ModelBuilder& builder, const std::vector<Lstm>& directions, std::int64_t batch,
                 std::int64_t steps);

}  // namespace dsim
