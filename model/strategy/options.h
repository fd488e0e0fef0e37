#pragma once
// Everything about how a job is trained that is not the network itself.
#include <cstdint>
#include <string>
#include <string_view>

#include "model/strategy/ddp_options.h"
#include "model/strategy/horovod_options.h"
#include "model/strategy/parallelism.h"
#include "model/strategy/pipeline_schedule.h"
#include "model/workload/model.h"
#include "sim/base/units.h"

namespace dsim {

enum class Strategy : std::uint8_t {
  ddp,            ///< PyTorch DistributedDataParallel, or Horovod
  data_parallel,  ///< torch.nn.DataParallel: one process, threads
  fsdp1,
  fsdp2,
  zero1,
  zero2,
  zero3,    ///< DeepSpeed
  megatron  ///< Megatron-Core: DDP or distributed optimizer
};
std::string_view name_of(Strategy strategy);
Strategy strategy_from(std::string_view name);  ///< InputError lists the known ones; "dp" too

enum class Framework : std::uint8_t { pytorch, horovod };
std::string_view name_of(Framework framework);

/// FSDP1, FSDP2. Sources: pytorch torch/distributed/fsdp, _composable/fsdp.
struct FsdpOptions {
  bool reshard_after_forward = true;  ///< false: SHARD_GRAD_OP
  std::uint32_t reshard_size = 0;     ///< FSDP2, reshard_after_forward=int: backward gathers from so
                                      ///< many ranks only; 0 = from all that shard
  std::uint32_t shard_size = 0;       ///< hybrid: ranks that shard; 0 = all data-parallel ranks
  bool forward_prefetch = false;      ///< FSDP1: explicit
  bool backward_prefetch = true;      ///< BACKWARD_PRE
  int all_gather_limit = 2;           ///< limit_all_gathers: in flight; 0 = no limit (FSDP1 only)
  Precision reduce = Precision::fp32;  ///< reduce_dtype
  bool accumulate_unsharded = false;   ///< no_sync(): gradients stay whole between micro-batches
  std::int64_t blocks_per_unit = 1;    ///< transformer blocks wrapped together
};

/// DeepSpeed ZeRO; defaults of runtime/zero/config.py.
struct ZeroOptions {
  std::int64_t reduce_bucket_elements = 500'000'000;
  std::int64_t gather_bucket_elements = 500'000'000;
  std::int64_t prefetch_elements = 50'000'000;
  std::int64_t persistent_elements = 100'000;
  bool overlap = false;         ///< overlap_comm; stage 3 always overlaps
  /// Stages 1 and 2 all-reduce a bucket although each rank needs only its part
  /// (use_multi_rank_bucket_allreduce, the default since 2023); false: every part is reduced to its
  /// owner alone.
  bool all_reduce = true;
  bool offload_optimizer = false;  ///< CPU Adam
};

/// Megatron-Core data parallelism.
struct MegatronOptions {
  bool distributed_optimizer = false;
  bool overlap_grad_reduce = false;
  bool overlap_param_gather = false;
  Precision grad_reduce = Precision::fp32;  ///< dtype of main gradients on the wire
  std::int64_t bucket_elements = 0;         ///< 0 = max(40 M, 1 M x data-parallel ranks)
  bool overlap_p2p = true;                  ///< interleaved: sends beside compute
  bool scatter_gather = true;  ///< without sequence parallelism: 1/tp a NIC, gathered in the node
};

struct TrainingOptions {
  Strategy strategy = Strategy::ddp;
  Framework framework = Framework::pytorch;
  CallBackend backend = CallBackend::nccl;
  Parallelism parallel;
  PipelineKind schedule = PipelineKind::one_f_one_b;
  std::int64_t accumulate = 1;  ///< micro-batches a data-parallel rank and step
  Recompute recompute = Recompute::none;
  int recompute_every = 1;
  bool cuda_graphs = false;     ///< forward and backward replayed: no host time a kernel
  bool clip_gradients = false;  ///< norm over all ranks before the optimizer step
  // How the layers themselves talk, beside the degrees in `parallel`; see LayerSharding.
  bool tensor_overlap = false;
  bool async_tensor_backward = true;
  bool fused_gradient_accumulation = false;
  bool fp8_dispatch = false;
  ContextExchange context_exchange = ContextExchange::ring;
  DdpOptions ddp;
  FsdpOptions fsdp;
  ZeroOptions zero;
  MegatronOptions megatron;
  HorovodOptions horovod;
};

/// What these options make of a layer: what a ModelRequest carries.
LayerSharding layer_sharding(const TrainingOptions& options);
/// Whether a strategy keeps weights and gradients in 16 bits (see ModelRequest::half_weights) where
/// a job does not say: all but DDP and DataParallel do.
bool keeps_half_weights(Strategy strategy);

}  // namespace dsim
