#pragma once
// Dense layers over the ranks of a tensor-parallel group (Shoeybi et al. 2019, Korthikanti et al.
// 2022; NVIDIA/Megatron-LM core/tensor_parallel/layers.py).
#include <string>
#include <vector>

#include "model/workload/blocks/linear.h"
#include "model/workload/builder.h"
#include "model/workload/transformer/rank_shape.h"

namespace dsim {

/// Which dimension of the weight is spread over the tensor-parallel ranks. none: each holds all.
enum class Split : std::uint8_t { none, columns, rows };

/// A dense layer of this rank; `linear` has the sizes that this rank holds.
struct ParallelLinear {
  Linear linear;
  double model_flops = 0;  ///< this rank's share of the forward FLOPs
};

/// Sizes of the whole layer.
struct LinearSizes {
  std::int64_t inputs = 0, outputs = 0;
  bool bias = false;
  std::int64_t rank_outputs = 0;  ///< of this rank, where several hold the same (few key-value
                                  ///< heads); 0 = outputs / tensor-parallel ranks
};

/// Registers `path`.weight and, with a bias, `path`.bias.
ParallelLinear declare_parallel_linear(ModelBuilder& builder, const RankShape& shape, Split split,
                                       std::string label, const std::string& path,
                                       const LinearSizes& sizes);

/// What differs between uses.
struct ParallelUse {
  std::int64_t rows = 0;         ///< that the GEMMs see
  std::int64_t input_width = 0;  ///< elements of a row that are communicated; 0 = the inputs
  bool keeps_input = true;       ///< false: another operation already keeps it
  bool tied_weight = false;      ///< the weight's gradient is finished elsewhere
};

/// Appends layers that read the same input. Without sequence parallelism the gradient of the input
/// is all-reduced in backward, beside the weight gradients if `async_tensor_backward`. With it the
/// input is gathered before the GEMMs and once more in backward (beside dgrad), and its gradient is
/// reduce-scattered (beside the weight gradients). With `tensor_overlap` the gather stands before
/// the GEMMs and runs beside them.
void append_column_parallel(ModelBuilder& builder, const RankShape& shape,
                            const std::vector<ParallelLinear>& layers, const ParallelUse& use);

/// Appends a layer whose partial results are all-reduced, or reduce-scattered under sequence
/// parallelism; then backward gathers the gradient first. With `tensor_overlap` each of these
/// stands before its GEMM and runs beside it.
void append_row_parallel(ModelBuilder& builder, const RankShape& shape, const ParallelLinear& layer,
                         const ParallelUse& use);

/// Appends layers that read the same input and that every rank holds whole.
void append_replicated(ModelBuilder& builder, const std::vector<ParallelLinear>& layers,
                       const ParallelUse& use);

}  // namespace dsim
