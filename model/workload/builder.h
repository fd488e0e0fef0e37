#pragma once
// Puts a Model together from operations. Blocks (model/workload/blocks) append operations in
// forward order; the builder lays their backward kernels out as autograd runs them: last operation
// first.
#include <string>
#include <vector>

#include "model/workload/model.h"

namespace dsim {

/// What one operation of the forward pass adds to its layer.
struct Operation {
  std::vector<Kernel> forward;
  std::vector<Kernel> backward;  ///< in execution order within this operation
  double saved_bytes = 0;        ///< tensors kept for backward that no other operation keeps
  double core_attention_bytes = 0;  ///< of them, those that selective recomputation drops
  double model_flops = 0;        ///< forward FLOPs that count for MFU
};

/// The request with the defaults of `kind` filled in. `longest_sequence` is the size of the
/// position table, 0 for images. InputError: micro-batch or sequence out of range, a sequence for
/// images.
ModelRequest resolved(const ModelKind& kind, const ModelRequest& request,
                      std::int64_t longest_sequence);

/// InputError for a network that is not cut over ranks of tensor-, context- or expert-parallel
/// groups.
void require_whole(const ModelKind& kind, const LayerSharding& sharding);

/// Collects parameters, buffers and layers of one network.
class ModelBuilder {
 public:
  /// `request` must be resolved.
  ModelBuilder(const ModelKind& kind, const ModelRequest& request, std::string title);

  const ModelRequest& request() const { return request_; }
  Fusion fusion() const { return request_.fusion; }
  double activation_bytes() const;  ///< e: bytes of an element of an activation
  double operand_bytes() const;     ///< bytes of an element of a GEMM operand
  bool casts_weights() const;  ///< weights are fp32 and cast at each forward

  /// Registers a tensor; calls come in the order of `named_parameters()`.
  /// `shape` is what one rank holds; `whole_elements` (0 = the same) the unsharded, unpadded size.
  /// It belongs to the layer begun last; one registered before any layer joins the first.
  ParameterId parameter(std::string name, std::vector<std::int64_t> shape,
                        std::int64_t whole_elements = 0, bool expert = false);
  std::int64_t elements(ParameterId id) const;

  void begin_layer(std::string name, LayerRole role = LayerRole::block);
  /// The layer begun last, for its output_bytes, and its input_bytes where they are not the output
  /// of the layer before it.
  Layer& layer() { return model_.layers.back(); }
  void append(Operation operation);  ///< to the layer begun last

  Model& model() { return model_; }
  /// Lays out the backward passes and hands the model over; the builder is empty afterwards.
  Model finish();

 private:
  ModelRequest request_;
  Model model_;
  std::vector<std::vector<Operation>> operations_;  ///< by layer
};

}  // namespace dsim
