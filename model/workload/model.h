#pragma once
// A network as people train it: parameter tensors in registration order and layers made of kernels,
// with concrete shapes for one micro-batch on one GPU.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload/collective_op.h"
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

/// Implementation of attention. automatic: the fastest of the GPU (FlashAttention-2 on Ampere and
/// Ada, FlashAttention-3 on Hopper, cuDNN on Blackwell; unfused before Ampere).
enum class AttentionKernel : std::uint8_t { automatic, flash1, flash2, flash3, cudnn, unfused };
std::string_view name_of(AttentionKernel kernel);
AttentionKernel attention_kernel_from(std::string_view name);  ///< InputError lists the known ones

/// A learnable tensor, as `named_parameters()` lists it.
struct Parameter {
  std::string name;                 ///< "bert.encoder.layer.0.attention.self.query.weight"
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;        ///< product of shape: what one rank holds before data-parallel
                                    ///< sharding
  std::int64_t whole_elements = 0;  ///< of the whole network, unsharded and unpadded
  bool expert = false;  ///< belongs to experts: its gradient is reduced over the ranks that hold the
                        ///< same experts, not over all data-parallel ranks
};

/// What a kernel computes; decides which time model applies.
enum class KernelKind : std::uint8_t {
  gemm,        ///< m x n x k, `batch` independent ones
  conv,        ///< implicit GEMM m x n x k over real tensors of `bytes`
  attention,   ///< fused attention (flash): `flops`, sequence length in k, head size in n, heads*batch in batch
  memory,      ///< bound by `bytes`: elementwise, norm, softmax, embedding, optimizer
  communication  ///< a collective inside a layer: `op` over `group`, `bytes` = nccl-tests size
};

/// The ranks a communication inside a layer runs over.
enum class ParallelGroup : std::uint8_t { tensor, context, expert, expert_tensor };

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
  int groups = 1;        ///< gemm: > 1 = grouped GEMM of so many experts, `batch` of them
  int filter = 0;        ///< conv: side of its filter; 0 = not stated
  int stride = 1;        ///< conv
  bool accumulates = false;  ///< gemm, wgrad: adds into fp32 main gradients. Set by ModelBuilder
  AttentionKernel attention = AttentionKernel::automatic;  ///< attention: set by ModelBuilder
  bool core_attention = false;  ///< run again in backward by selective recomputation
  CollectiveOp op = CollectiveOp::all_reduce;            ///< communication only
  ParallelGroup group = ParallelGroup::tensor;           ///< communication only
  int element_bytes = 2;                                 ///< communication only
  int hidden_behind = 0;  ///< communication: so many kernels that follow it in its list may run while
                          ///< it moves; the one after them waits for it
  std::vector<ParameterId> completes;  ///< backward: parameters whose gradient is ready at its end
};

/// embedding and head stay on the first and last pipeline stage; blocks are what is cut into
/// stages, recomputed and sharded as units.
enum class LayerRole : std::uint8_t { embedding, block, head };

/// A module of the network in forward order.
struct Layer {
  std::string name;
  LayerRole role = LayerRole::block;
  std::vector<Kernel> forward;
  std::vector<Kernel> backward;       ///< in execution order of the backward pass of this layer
  double saved_bytes = 0;             ///< activations kept from forward to backward
  double core_attention_bytes = 0;    ///< of them, those of kernels marked `core_attention`
  double input_bytes = 0;             ///< of its input: kept alone when all of it is recomputed
  double output_bytes = 0;            ///< of its output: what a pipeline sends to the next stage
  std::vector<ParameterId> parameters;  ///< registered in this layer, shared ones at first use
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

  double recompute_bytes = 0;         ///< largest transient of a layer that is recomputed
  std::int64_t active_parameters = 0;  ///< used by one token; 0 = all (no experts)
  bool tied_embeddings = false;       ///< input embedding and head share one tensor

  std::int64_t parameter_count() const;        ///< of the whole network
  std::int64_t local_parameter_count() const;  ///< of one tensor- and expert-parallel rank
};

/// How GEMM operands are scaled to 8 bits or less. delayed: per tensor, from earlier steps
/// (Transformer Engine); dynamic: per row or tensor, from the data itself (torchao rowwise); block:
/// per block of 32 to 128 values (MXFP8, DeepSeek-V3); nvfp4: 4-bit operands in blocks of 16.
enum class Fp8Recipe : std::uint8_t { delayed, dynamic, block, nvfp4 };
std::string_view name_of(Fp8Recipe recipe);
Fp8Recipe fp8_recipe_from(std::string_view name);  ///< InputError lists the known ones

/// What is not kept for backward but computed again. selective: core attention (Korthikanti et al.
/// 2022); full: every block; every_nth: the first block of each `every` in full.
enum class Recompute : std::uint8_t { none, selective, full, every_nth };
std::string_view name_of(Recompute recompute);
Recompute recompute_from(std::string_view name);

/// How the ranks of a context-parallel group share keys and values: passed round (ring
/// attention), gathered before attention, or heads exchanged for tokens (Ulysses).
enum class ContextExchange : std::uint8_t { ring, gather, all_to_all };
std::string_view name_of(ContextExchange exchange);
ContextExchange context_exchange_from(std::string_view name);

/// How one network is cut over the ranks of tensor-, context- and expert-parallel groups; the
/// shapes of a Model are those of one rank. Defaults are one rank each.
struct LayerSharding {
  std::uint32_t tensor = 1;
  bool sequence_parallel = false;  ///< norms and dropout on 1/tensor of the tokens
  bool tensor_overlap = false;     ///< collectives of a GEMM pipelined with it (userbuffers)
  bool async_tensor_backward = true;  ///< backward all-reduce beside the weight gradient
  std::uint32_t context = 1;
  ContextExchange context_exchange = ContextExchange::ring;
  std::uint32_t expert = 1;         ///< expert-parallel ranks
  std::uint32_t expert_tensor = 0;  ///< tensor-parallel ranks of an expert; 0 = as `tensor`
  bool fp8_dispatch = false;        ///< tokens travel to experts in fp8
  bool fused_gradient_accumulation = false;  ///< fp32 main gradients added in the wgrad GEMM
};

/// The shapes and choices a model is built for. 0 means: the model's own default, which is printed.
struct ModelRequest {
  std::int64_t micro_batch = 0;
  std::int64_t sequence = 0;
  Precision precision = Precision::bf16;
  Fp8Recipe fp8_recipe = Fp8Recipe::delayed;  ///< of precision fp8
  Fusion fusion = Fusion::eager;
  AttentionKernel attention = AttentionKernel::automatic;  ///< models see it resolved by the GPU
  LayerSharding sharding{};
  /// Weights and gradients are held in 16 bits with fp32 masters in the optimizer (Megatron,
  /// DeepSpeed, FSDP mixed precision): no casts at each forward. Else autocast where 16-bit.
  bool half_weights = false;
};

struct TransformerConfig;  // model/workload/transformer/config.h
struct LayerFile;          // model/workload/layer_file.h

/// A row of the model table.
struct ModelKind {
  std::string_view name;              ///< "bert-large"
  std::string_view help;
  std::int64_t default_micro_batch;
  std::int64_t default_sequence;      ///< 0 for images
  std::string_view default_optimizer; ///< "adam", "lamb", "sgd"
  Model (*build)(const ModelKind& kind, const ModelRequest& request);
  const TransformerConfig* transformer = nullptr;  ///< what `build` reads, where it is a transformer
  const LayerFile* layers = nullptr;               ///< where it comes from a layer file
};

/// Finds a model by name or alias ("bert" is bert-large). InputError lists the known ones.
const ModelKind& model_kind(std::string_view name);
std::vector<const ModelKind*> model_kinds();

/// A model by name, or of a file: a Hugging Face config.json or a dsim layer file
/// ("dsim.layers/1"). A text that ends in ".json" or names a file is a file. InputError with
/// file:line:col.
std::shared_ptr<const ModelKind> find_model(std::string_view name_or_file);

/// Puts recomputation into a model: kernels that run again stand at the head of a layer's backward
/// list, and saved_bytes shrinks. `every` is for every_nth.
void apply_recompute(Model& model, Recompute recompute, int every = 1);

}  // namespace dsim
