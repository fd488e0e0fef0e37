#pragma once
#include <string>
#include <vector>

#include "model/compute/gpu.h"
#include "model/strategy/optimizer.h"
#include "model/strategy/options.h"

namespace dsim {

/// Peak memory of one GPU by part, bytes.
struct MemoryFootprint {
  double parameters = 0;   ///< this rank's share of the weights, their 16-bit copies under autocast
                           ///< or 8-bit ones, module buffers
  double gradients = 0;    ///< this rank's share, all at once
  double optimizer = 0;    ///< this rank's share of states and fp32 master weights
  double activations = 0;  ///< kept from forward to backward, of all micro-batches in flight
  double buckets = 0;      ///< flat copies of the gradients
  double gathered = 0;     ///< whole parameters and gradients of the units that are unsharded
  double workspace = 0;    ///< largest transient, and two input batches (one is prefetched)
  double context = 0;      ///< CUDA context, NCCL buffers, what the allocator holds unused
  double capacity = 0;
  /// What `torch.cuda.max_memory_allocated()` counts.
  double tensors() const {
    return parameters + gradients + optimizer + activations + buckets + gathered + workspace;
  }
  double total() const { return tensors() + context; }
  bool fits() const { return total() <= capacity; }
};

/// Memory that no tensor accounts for.
struct MemoryConstants {
  Constant cuda_context;     ///< bytes a process
  Constant nccl_buffers;     ///< bytes a communicator of more than one rank
  Constant peer_buffers;     ///< bytes a peer of an all-to-all
  Constant allocator_slack;  ///< reserved by the caching allocator and unused, fraction of tensors
  void visit(const ConstantVisitor& visitor);
};
MemoryConstants built_in_memory_constants();

/// What memory depends on.
struct MemoryRequest {
  const Model* model = nullptr;  ///< shapes of one rank, recomputation applied
  Precision precision = Precision::bf16;
  bool half_weights = false;  ///< see ModelRequest
  const OptimizerKind* optimizer = nullptr;
  TrainingOptions training;
  std::uint32_t ranks = 1;
  const Gpu* gpu = nullptr;
};

/// By pipeline rank. Errs on the large side: gradients count in full although those of the last
/// layers exist only when activations have begun to go.
std::vector<MemoryFootprint> memory_by_stage(
    const MemoryRequest& request, const MemoryConstants& constants = built_in_memory_constants());

/// Of the pipeline rank that needs most.
MemoryFootprint memory_footprint(const MemoryRequest& request,
                                 const MemoryConstants& constants = built_in_memory_constants());

/// The smallest change that makes it fit, as a sentence; empty if it fits. Activations and
/// workspace are taken as proportional to the micro-batch.
std::string memory_advice(const MemoryRequest& request,
                          const MemoryConstants& constants = built_in_memory_constants());

}  // namespace dsim
