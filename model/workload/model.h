#pragma once
// A network as people train it: parameter tensors in registration order and layers made of kernels,
// with concrete shapes for one micro-batch on one GPU.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/id.h"
#include "sim/base/units.h"

namespace dsim {

using ParameterId = Id<struct ParameterTag>;

enum class Precision : std::uint8_t { fp32, tf32, fp16, bf16, fp8 };
std::string_view name_of(Precision precision);
Precision precision_from(std::string_view name);  ///< InputError lists the known ones
/// Bytes of one element of a GEMM operand, so of a compute copy of a weight: 4 for fp32 and tf32,
/// 2 for fp16 and bf16, 1 for fp8.
int element_bytes(Precision precision);
/// Bytes of one element of an activation: as `element_bytes`, but 2 for fp8 (only GEMM operands are
/// quantised).
int activation_bytes(Precision precision);
/// Whether weights are kept in fp32 and cast for every forward pass (native autocast): fp16, bf16, fp8.
bool casts_weights(Precision precision);

/// How elementwise work is fused. eager: one kernel an operation. jit: bias+GELU, bias+dropout+add and
/// softmax fused by hand (Apex, Megatron). compile: torch.compile.
enum class Fusion : std::uint8_t { eager, jit, compile };
std::string_view name_of(Fusion fusion);
Fusion fusion_from(std::string_view name);  ///< InputError lists the known ones

/// A learnable tensor, as `named_parameters()` lists it.
struct Parameter {
  std::string name;                 ///< "bert.encoder.layer.0.attention.self.query.weight"
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;        ///< product of shape
};

/// What a kernel computes; decides which time model applies.
enum class KernelKind : std::uint8_t {
  gemm,        ///< m x n x k, `batch` independent ones
  conv,        ///< implicit GEMM m x n x k over real tensors of `bytes`
  attention,   ///< fused attention (flash): `flops`, sequence length in k, head size in n, heads*batch in batch
  memory       ///< bound by `bytes`: elementwise, norm, softmax, embedding, optimizer
};

/// Which of a GEMM's three uses this is; wgrad kernels run slower (fp32 accumulate, transposed).
enum class Pass : std::uint8_t { forward, dgrad, wgrad };

/// The work of one kernel, free of any GPU.
struct Kernel {
  std::string name;
  KernelKind kind = KernelKind::memory;
  Pass pass = Pass::forward;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  double flops = 0;      ///< 2 m n k batch for GEMMs; what the kernel really computes, so half the
                         ///< square for causal attention
  double bytes = 0;      ///< HBM bytes read and written
  bool causal = false;   ///< attention only
  int launches = 1;      ///< how many kernels the framework launches for it (eager: several)
  std::vector<ParameterId> completes;  ///< backward: parameters whose gradient is ready at its end
};

/// A module of the network in forward order.
struct Layer {
  std::string name;
  std::vector<Kernel> forward;
  std::vector<Kernel> backward;       ///< in execution order of the backward pass of this layer
  double saved_bytes = 0;             ///< activations kept from forward to backward
};

/// A network with the shapes of one micro-batch.
struct Model {
  std::string name;                   ///< "bert-large"
  std::string title;                  ///< "BERT-large"
  std::string sample_unit;            ///< "sequences", "images"
  std::int64_t samples = 1;           ///< per micro-batch
  std::int64_t tokens_per_sample = 0; ///< 0 for images
  std::vector<Parameter> parameters;  ///< registration order
  std::vector<std::int64_t> buffers;  ///< elements of each fp32 buffer (BatchNorm statistics)
  std::vector<std::int64_t> integer_buffers;  ///< elements of each int64 buffer that DDP broadcasts
  std::vector<Layer> layers;          ///< forward order; backward runs them in reverse
  /// FLOPs of one micro-batch for MFU: 3 x forward of GEMMs, convolutions and attention (causal
  /// attention counts half of the square), without recomputation, however the kernels are fused.
  double model_flops = 0;
  double input_bytes = 0;             ///< host to device per micro-batch
  double workspace_bytes = 0;         ///< largest transient (logits in fp32, ...)

  std::int64_t parameter_count() const;
};

/// The shapes and choices a model is built for. 0 means: the model's own default, which is printed.
struct ModelRequest {
  std::int64_t micro_batch = 0;
  std::int64_t sequence = 0;
  Precision precision = Precision::bf16;
  Fusion fusion = Fusion::eager;
  bool flash_attention = true;
};

/// A row of the model table.
struct ModelKind {
  std::string_view name;              ///< "bert-large"
  std::string_view help;
  std::int64_t default_micro_batch;
  std::int64_t default_sequence;      ///< 0 for images
  std::string_view default_optimizer; ///< "adam", "lamb", "sgd"
  Model (*build)(const ModelKind& kind, const ModelRequest& request);
};

/// Finds a model by name or alias ("bert" is bert-large). InputError lists the known ones.
const ModelKind& model_kind(std::string_view name);
std::vector<const ModelKind*> model_kinds();

}  // namespace dsim
