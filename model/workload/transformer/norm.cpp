#include "model/workload/transformer/norm.h"

#include <utility>

#include "model/workload/kernels.h"

namespace dsim {
namespace {

struct NormPasses {
  double forward, backward;
  int forward_launches, backward_launches;
  double saved_bytes;  ///< an element
};

/// Fused: one read and one write; backward reads x and dy and writes dx, with partial sums for the
/// scale. compile with residual: fitted to torchtitan b5bcd76c Llama-3.1-8B eager and compiled
/// rates. eager RMSNorm: bytes counted on Hugging Face LlamaRMSNorm in 16 bit with neighbours found
/// in L2 (8 and 14 passes; 18 if each operation went to HBM); it keeps x in fp32 and the normalised
/// x.
NormPasses norm_passes(const ModelBuilder& builder, NormKind kind, bool after_residual) {
  const double e = builder.activation_bytes();
  if (builder.fusion() == Fusion::compile && after_residual) return {3.5, 5, 1, 2, e};
  if (builder.fusion() == Fusion::eager && kind == NormKind::rms_norm)
    return {8, 14, 6, 8, e < 4 ? 4 + e : 2 * e};
  return {2, 4, 1, 2, e};
}

}  // namespace

TransformerNorm declare_norm(ModelBuilder& builder, NormKind kind, bool bias, std::string label,
                             const std::string& path, std::int64_t width,
                             std::int64_t whole_width) {
  TransformerNorm norm;
  norm.kind = kind;
  norm.label = std::move(label);
  norm.weight = builder.parameter(path + ".weight", {width}, whole_width);
  if (bias) norm.bias = builder.parameter(path + ".bias", {width}, whole_width);
  norm.width = width;
  return norm;
}

void append_norm(ModelBuilder& builder, const TransformerNorm& norm, std::int64_t rows,
                 bool after_residual) {
  const NormPasses passes = norm_passes(builder, norm.kind, after_residual);
  const double elements = product(rows, norm.width);
  const double pass = builder.activation_bytes() * elements;
  const double statistics = (norm.kind == NormKind::layer_norm ? 8 : 4) * product(rows);
  Operation operation;
  operation.forward.push_back(memory_kernel(
      norm.label, Pass::forward, passes.forward * pass + statistics, passes.forward_launches));
  operation.backward.push_back(memory_kernel(norm.label + ".backward", Pass::dgrad,
                                             passes.backward * pass + statistics,
                                             passes.backward_launches));
  operation.backward.back().completes = {norm.weight};
  if (norm.bias.valid()) operation.backward.back().completes.push_back(norm.bias);
  operation.saved_bytes = passes.saved_bytes * elements + statistics;
  builder.append(std::move(operation));
}

}  // namespace dsim
