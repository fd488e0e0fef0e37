#include "model/compute/memory_states.h"

#include <algorithm>

namespace dsim {
namespace {

/// Bytes of an element in the forms a strategy keeps it in.
struct ElementBytes {
  double weight, copy;  ///< of the weight; of a copy that GEMMs read
  double gradient;      ///< as autograd hands it over
  double master;        ///< fp32 weights beside the weights
  double states;        ///< of the optimizer
};

ElementBytes element_bytes_of(const MemoryRequest& request) {
  const double states = request.optimizer->state_bytes_per_parameter;
  if (request.half_weights && casts_weights(request.precision)) return {2, 0, 2, 4, states};
  // Autograd keeps the copy of a weight from its cast in forward to its use in backward.
  const double copy =
      casts_weights(request.precision) ? static_cast<double>(element_bytes(request.precision)) : 0;
  return {4, copy, 4, 0, states};
}

/// Ranks over which a strategy shards parameters that all, or only some (experts), ranks hold.
struct Shards {
  double dense = 1, expert = 1;
  double of(const StageContents& stage) const {
    return stage.dense / dense + stage.expert / expert;
  }
};

Shards data_shards(const Parallelism& p) {
  const double stage = static_cast<double>(p.tensor) * p.context * p.data;
  return {static_cast<double>(p.data) * p.context,
          std::max(1.0, stage / (static_cast<double>(p.expert) * std::max(1U, p.expert_tensor)))};
}

double elements(const StageContents& stage) { return stage.dense + stage.expert; }

ModelStates replicated(const MemoryRequest& request, const StageContents& stage) {
  const ElementBytes bytes = element_bytes_of(request);
  const double all = elements(stage);
  return {.parameters = (bytes.weight + bytes.copy) * all,
          .gradients = bytes.gradient * all,
          .optimizer = (bytes.master + bytes.states) * all};
}

ModelStates ddp(const MemoryRequest& request, const StageContents& stage, const Parallelism& p) {
  ModelStates states = replicated(request, stage);
  if (p.data * p.context == 1) return states;
  const DdpOptions& options = request.training.ddp;
  // With views the gradients lie in the buckets. A compressed bucket is a tensor of its own while
  // it is under way; at worst all are.
  if (!options.gradient_as_bucket_view) states.buckets = states.gradients;
  if (options.compression != Compression::none && element_bytes_of(request).gradient > 2)
    states.buckets += 2 * elements(stage);
  return states;
}

/// GPU 0 holds the sums of all replicas' gradients beside its own.
ModelStates data_parallel(const MemoryRequest& request, const StageContents& stage,
                          const Parallelism& p) {
  ModelStates states = replicated(request, stage);
  if (p.data > 1) states.buckets = states.gradients;
  return states;
}

/// Two blocks are whole at a time: the one that computes and the one that was gathered ahead. What
/// is outside blocks makes the root unit, which stays whole from forward to the end of backward.
/// Sources: torch/distributed/fsdp/_limiter_utils.py, _fully_shard/_fsdp_param_group.py.
ModelStates fsdp(const MemoryRequest& request, const StageContents& stage, const Parallelism& p) {
  const FsdpOptions& options = request.training.fsdp;
  const bool mixed = request.half_weights && casts_weights(request.precision);
  Shards shards = data_shards(p);
  if (options.shard_size > 0) {
    shards.expert = std::max(1.0, shards.expert * options.shard_size / shards.dense);
    shards.dense = options.shard_size;
  }
  const double shard = shards.of(stage);
  ModelStates states{.parameters = 4 * shard,
                     .gradients = 4 * shard,
                     .optimizer = request.optimizer->state_bytes_per_parameter * shard};
  const ElementBytes bytes = element_bytes_of(request);
  const double whole = mixed ? 2 : bytes.weight + bytes.copy;
  const double gradient = mixed ? 2 : 4;
  const double reduced = mixed ? element_bytes(options.reduce) : 4;
  const double all = elements(stage);
  const double unit = std::min(all, stage.largest_unit * static_cast<double>(std::max<std::int64_t>(
                                                             1, options.blocks_per_unit)));
  const double blocks = std::max(0.0, all - stage.ends);
  if (shards.dense <= 1) {  // nothing to gather, but FSDP still casts
    states.gathered = mixed ? 2 * std::min(all, stage.ends + 2 * unit) : bytes.copy * all;
    return states;
  }
  const bool reshards = options.reshard_after_forward && p.pipeline == 1;
  const double live = stage.ends + (reshards ? std::min(blocks, 2 * unit) : blocks);
  states.gathered = whole * live;
  if (reshards && options.reshard_size > 0)  // after forward a block stays in larger shards
    states.gathered += whole * std::max(0.0, blocks - 2 * unit) / options.reshard_size;
  // Gradients of the unit in backward, and the input of the reduce-scatter that is under way.
  states.gathered += (gradient + reduced) * unit + gradient * stage.ends;
  if (options.accumulate_unsharded && request.training.accumulate > 1)
    states.gathered += reduced * all;
  return states;
}

/// DeepSpeed, runtime/zero: stage 1 shards optimizer states, 2 gradients too, 3 parameters too.
ModelStates zero(const MemoryRequest& request, const StageContents& stage, const Parallelism& p,
                 int level) {
  // stage3_max_live_parameters: fetched ahead, or kept because they are used again soon
  // (runtime/zero/config.py).
  constexpr double most_live_elements = 1e9;
  const ZeroOptions& options = request.training.zero;
  const ElementBytes bytes = element_bytes_of(request);
  const double all = elements(stage);
  const double shard = data_shards(p).of(stage);
  const double bucket = std::min(all, static_cast<double>(options.reduce_bucket_elements));
  ModelStates states;
  states.parameters = bytes.weight * (level >= 3 ? shard : all);
  states.gradients = bytes.gradient * (level >= 2 ? shard : all);
  states.optimizer = (bytes.master + bytes.states) * shard;
  // Gradients of the shard: flattened, then in fp32 (stage_1_and_2.py, step()).
  if (bytes.master > 0) states.step = ((level < 3 ? bytes.gradient : 0) + 4) * shard;
  if (options.offload_optimizer) {
    states.optimizer = states.step = 0;
    if (level >= 2) states.gradients = 0;  // copied to the host as they are reduced
  }
  states.gathered = bytes.copy * (level >= 3 ? stage.largest_unit : all);
  // Gradients are copied into a bucket, or two in turn. A tensor larger than it is copied alone.
  const double reducing = level >= 3 ? std::max(bucket, stage.largest_tensor) : bucket;
  if (p.data * p.context > 1)
    states.buckets = bytes.gradient * reducing * (level < 3 && options.overlap ? 2 : 1);
  if (level >= 3) {
    const double live = std::max({most_live_elements, 2 * stage.largest_unit,
                                  static_cast<double>(options.prefetch_elements)});
    states.gathered += bytes.weight * std::min(all, live) + bytes.gradient * stage.largest_tensor;
  } else if (level == 2) {
    states.gathered += bytes.gradient * std::max(stage.largest_unit, stage.largest_tensor);
  }
  return states;
}

/// Megatron-Core: gradients live in one flat buffer; the distributed optimizer shards what is fp32.
ModelStates megatron(const MemoryRequest& request, const StageContents& stage,
                     const Parallelism& p) {
  const MegatronOptions& options = request.training.megatron;
  const ElementBytes bytes = element_bytes_of(request);
  const double all = elements(stage);
  const bool mixed = bytes.master > 0;
  ModelStates states;
  states.parameters = (bytes.weight + bytes.copy) * all;
  // Transformer Engine keeps fp8 weights and their transposes from micro-batch to micro-batch.
  if (mixed && request.precision == Precision::fp8)
    states.parameters += 2 * std::max(0.0, all - stage.ends);
  states.gradients = (mixed ? element_bytes(options.grad_reduce) : 4) * all;
  states.optimizer = (bytes.master + bytes.states) *
                     (options.distributed_optimizer ? data_shards(p).of(stage) : all);
  // Until they have been added to the main gradients, those of a block and of the head live in 16
  // bits too.
  if (mixed && !request.training.fused_gradient_accumulation)
    states.gathered = bytes.gradient * std::min(all, stage.largest_unit + stage.head_tensor);
  return states;
}

}  // namespace

ModelStates model_states(const MemoryRequest& request, const StageContents& stage,
                         const Parallelism& parallelism) {
  switch (request.training.strategy) {
    case Strategy::ddp:
      return ddp(request, stage, parallelism);
    case Strategy::data_parallel:
      return data_parallel(request, stage, parallelism);
    case Strategy::fsdp1:
    case Strategy::fsdp2:
      return fsdp(request, stage, parallelism);
    case Strategy::zero1:
      return zero(request, stage, parallelism, 1);
    case Strategy::zero2:
      return zero(request, stage, parallelism, 2);
    case Strategy::zero3:
      return zero(request, stage, parallelism, 3);
    case Strategy::megatron:
      return megatron(request, stage, parallelism);
  }
  return {};
}

}  // namespace dsim
