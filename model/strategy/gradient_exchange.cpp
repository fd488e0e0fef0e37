#include "model/strategy/gradient_exchange.h"

#include <algorithm>
#include <limits>

namespace dsim {

namespace {

constexpr double whole = std::numeric_limits<double>::infinity();

/// Megatron: max(40 M, 1 M x data-parallel ranks) parameters a bucket, one bucket without overlap
/// (core/distributed/distributed_data_parallel.py).
double megatron_bucket(const MegatronOptions& options, std::uint32_t data_ranks) {
  if (!options.overlap_grad_reduce) return whole;
  if (options.bucket_elements > 0) return static_cast<double>(options.bucket_elements);
  return std::max(40e6, 1e6 * data_ranks);
}

}  // namespace

GradientExchange gradient_exchange(const TrainingRequest& request, std::uint32_t data_ranks) {
  const TrainingOptions& options = request.options;
  GradientExchange exchange;
  exchange.gradient_bytes = gradient_element_bytes_of(request);
  exchange.parameter_bytes = holds_half_weights(request) ? 2 : 4;
  switch (options.strategy) {
    case Strategy::megatron:
      exchange.shard = options.megatron.distributed_optimizer;
      exchange.overlap_reduce = options.megatron.overlap_grad_reduce;
      exchange.overlap_gather = options.megatron.overlap_param_gather;
      exchange.gradient_bytes = element_bytes(options.megatron.grad_reduce);
      exchange.bucket_elements = megatron_bucket(options.megatron, data_ranks);
      exchange.main_gradients = true;
      break;
    case Strategy::zero1:
    case Strategy::zero2:
    case Strategy::zero3:
      exchange.shard = true;
      exchange.bucket_elements = static_cast<double>(options.zero.reduce_bucket_elements);
      break;
    case Strategy::fsdp1:
    case Strategy::fsdp2:
      exchange.shard = exchange.overlap_reduce = exchange.overlap_gather = true;
      exchange.gradient_bytes = element_bytes(options.fsdp.reduce);
      exchange.bucket_elements = whole;
      exchange.bucket_by_layer = true;
      break;
    case Strategy::ddp:
    case Strategy::data_parallel:
      exchange.overlap_reduce = true;
      exchange.bucket_elements =
          static_cast<double>(options.ddp.bucket_cap.count) / exchange.gradient_bytes;
      break;
  }
  return exchange;
}

}  // namespace dsim
