#pragma once
#include <string>

#include "model/workload/builder.h"

namespace dsim {

/// A dense layer y = x W + b with its parameters registered.
struct Linear {
  std::string label;         ///< of its kernels: "attention.self.query"
  ParameterId weight, bias;  ///< bias: none if invalid
  std::int64_t inputs = 0, outputs = 0;
};

/// How the weight is stored: torch.nn.Linear [out, in], Conv1D of GPT-2 [in, out].
enum class WeightLayout : std::uint8_t { out_in, in_out };

/// Registers `path`.weight and `path`.bias.
Linear declare_linear(ModelBuilder& builder, std::string label, const std::string& path,
                      std::int64_t inputs, std::int64_t outputs,
                      WeightLayout layout = WeightLayout::out_in);

/// What differs between uses of a dense layer.
struct LinearUse {
  std::int64_t rows = 0;
  bool keeps_input = true;   ///< false: another operation already keeps x for backward
  bool tied_weight = false;  ///< true: the weight's gradient is finished elsewhere (embedding)
};

/// Appends x W + b over `rows` rows: GEMMs (rows, outputs, inputs), dgrad (rows, inputs, outputs),
/// wgrad (outputs, inputs, rows), the casts of native autocast, and the bias.
void append_linear(ModelBuilder& builder, const Linear& linear, const LinearUse& use);

/// Appends to `operation` the cast of `elements` fp32 weights to compute precision (forward), none
/// if the precision needs none. `tensors` is the number of casts.
void append_weight_cast(const ModelBuilder& builder, const std::string& label,
                        std::int64_t elements, int tensors, Operation& operation);

/// Appends the kernel after which the gradient of `weight` is complete: `wgrad` itself, or the cast
/// of its 16-bit result to fp32.
void append_weight_gradient(const ModelBuilder& builder, const std::string& label, Kernel wgrad,
                            ParameterId weight, bool completes, Operation& operation);

}  // namespace dsim
